// RUN: xdsl-opt --verify-diagnostics --parsing-diagnostics --split-input-file %s | filecheck %s
// RUN: xdsl-opt --verify-diagnostics --parsing-diagnostics --split-input-file -p memplan-generalize-ops %s | filecheck %s --check-prefix=GENERAL

// Stock xDSL has neither.

// CHECK-LABEL: @both
// CHECK-NEXT: tensor.rank %x : tensor<4x6xf32>
// CHECK-NEXT: tensor.bitcast %x : tensor<4x6xf32> to tensor<4x6xi32>
// GENERAL-LABEL: @both
// GENERAL-NEXT: %n = arith.constant 2 : index
// GENERAL-NEXT: tensor.empty() : tensor<4x6xi32>
// GENERAL-NEXT: linalg.generic {{.*}} ins(%x : tensor<4x6xf32>)
// GENERAL-NEXT: ^bb0(%[[E:.*]]: f32, %{{.*}}: i32):
// GENERAL-NEXT: %[[B:.*]] = arith.bitcast %[[E]] : f32 to i32
// GENERAL-NEXT: linalg.yield %[[B]] : i32
func.func @both(%x: tensor<4x6xf32>) -> (index, tensor<4x6xi32>) {
  %n = tensor.rank %x : tensor<4x6xf32>
  %b = tensor.bitcast %x : tensor<4x6xf32> to tensor<4x6xi32>
  return %n, %b : index, tensor<4x6xi32>
}

// -----

// CHECK: elements of both must have as many bits
func.func @bits(%x: tensor<4xf32>) -> tensor<4xi16> {
  %b = tensor.bitcast %x : tensor<4xf32> to tensor<4xi16>
  return %b : tensor<4xi16>
}

// -----

// CHECK: both tensors must have one shape
func.func @shape(%x: tensor<4xf32>) -> tensor<2x2xi32> {
  %b = tensor.bitcast %x : tensor<4xf32> to tensor<2x2xi32>
  return %b : tensor<2x2xi32>
}
