// RUN: xdsl-opt --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: the dimensions must be some of 0 to 2, in ascending order
func.func @order(%a: tensor<8x4x6xf32>, %i: tensor<5x2xi32>) {
  %0 = tensor.gather %a[%i] gather_dims([2, 0]) : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
  return
}

// -----

// CHECK: 1 coordinates are a last dimension of as many, not 2
func.func @coordinates(%a: tensor<8x4x6xf32>, %i: tensor<5x2xi32>) {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x4x6xf32>
  return
}

// -----

// CHECK: slices have the shape (5, 4), or (5, 1, 4, 1), not (5, 6)
func.func @slices(%a: tensor<8x4x6xf32>, %i: tensor<5x2xi32>) {
  %0 = tensor.gather %a[%i] gather_dims([0, 2]) : (tensor<8x4x6xf32>, tensor<5x2xi32>) -> tensor<5x6xf32>
  return
}

// -----

// CHECK: coordinates must be different ones: `unique` says that they are
func.func @unique(%a: tensor<8x4xf32>, %s: tensor<5x4xf32>, %i: tensor<5x1xi32>) {
  %0 = tensor.scatter %s into %a[%i] scatter_dims([0]) : (tensor<5x4xf32>, tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<8x4xf32>
  return
}
