// RUN: xdsl-opt %s --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

// CHECK: linalg.batch_matmul has no outs(...)
func.func @no_output(%a: tensor<2x3x4xf32>) {
  linalg.batch_matmul ins(%a, %a : tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  func.return
}

// -----

// CHECK: inferred input/output operand #1 has shape's dimension #1 to be 4, but found 3
func.func @shapes(%a: tensor<2x3x4xf32>, %out: tensor<2x3x5xf32>) {
  linalg.batch_matmul ins(%a, %a : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%out : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

// CHECK: "math.tanh"
// CHECK: Unexpected attribute i32
func.func @element_type(%a: tensor<4xi32>) {
  linalg.tanh ins(%a : tensor<4xi32>) outs(%a : tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

// CHECK: expected 2 strides, got 1
func.func @strides(%x: tensor<1x3x9x9xf32>, %w: tensor<3x3x3xf32>, %out: tensor<1x3x7x7xf32>) {
  linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<1xi64>} ins(%x, %w : tensor<1x3x9x9xf32>, tensor<3x3x3xf32>) outs(%out : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  func.return
}

// -----

// CHECK: expected indexing_maps and iterator_types
func.func @trait(%x: tensor<4xf32>) {
  linalg.generic {iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  } -> tensor<4xf32>
  func.return
}

// -----

// CHECK: is no iterator type: parallel, reduction or window
func.func @iterator(%x: tensor<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["serial"]} outs(%x : tensor<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  } -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected type of bb argument #0 (f32) to match element or self type of the corresponding operand (f64)
func.func @body(%x: tensor<4xf64>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf64>) {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  } -> tensor<4xf64>
  func.return
}
