// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL has neither.

// CHECK: tensor.gather %{{.*}}[%{{.*}}] gather_dims([0, 2]) unique {note = 1 : i64} : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x1x4x1xf32>
// CHECK: tensor.gather %{{.*}}[%{{.*}}] gather_dims([0, 2]) : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
// CHECK: tensor.scatter %{{.*}} into %{{.*}}[%{{.*}}] scatter_dims([0, 2]) unique : (tensor<5x4xf32>, tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<8x4x6xf32>
func.func @both(%a: tensor<8x4x6xf32>, %i: tensor<5x2xi32>) -> tensor<8x4x6xf32> {
  %0 = tensor.gather %a[%i] gather_dims([0, 2]) unique {note = 1} : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x1x4x1xf32>
  %1 = tensor.gather %a[%i] gather_dims([0, 2]) : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
  %2 = tensor.scatter %1 into %a[%i] scatter_dims([0, 2]) unique : (tensor<5x4xf32>, tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<8x4x6xf32>
  return %2 : tensor<8x4x6xf32>
}
