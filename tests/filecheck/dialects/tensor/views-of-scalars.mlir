// RUN: xdsl-opt --verify-diagnostics --split-input-file %s | filecheck %s

// Any number of dimensions of size 1, as in MLIR.

// CHECK: tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @scalar(%x: tensor<f32>) -> tensor<1x1xf32> {
  %r = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

// CHECK: to equal the expanded type's rank (1)
func.func @more_elements(%x: tensor<f32>) -> tensor<2xf32> {
  %r = tensor.expand_shape %x [] output_shape [2] : tensor<f32> into tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK: static shape dims
func.func @other_shape(%x: tensor<f32>) -> tensor<1x1xf32> {
  %r = tensor.expand_shape %x [] output_shape [1] : tensor<f32> into tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

// CHECK: number of reassociation maps (0)
func.func @no_scalar(%x: tensor<1xf32>) -> tensor<1x1xf32> {
  %r = tensor.expand_shape %x [] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
