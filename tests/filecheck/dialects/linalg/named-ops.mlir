// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// The operations that networks need and stock xDSL lacks; the whole table is compared with MLIR in
// tests/dialects/test_linalg_named_ops.py.

// CHECK: linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%{{.*}} : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
func.func @batch_matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %out: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%out : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return %0 : tensor<2x3x5xf32>
}

// -----

// CHECK: linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins
func.func @conv_1d(%x: tensor<1x3x9xf32>, %w: tensor<4x3x3xf32>, %out: tensor<1x4x4xf32>) -> tensor<1x4x4xf32> {
  %0 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x3x9xf32>, tensor<4x3x3xf32>) outs(%out : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  func.return %0 : tensor<1x4x4xf32>
}

// -----

// CHECK: linalg.conv_3d_ncdhw_fcdhw ins
func.func @strides_of_one_can_be_left_out(%x: tensor<1x3x5x5x5xf32>, %w: tensor<4x3x3x3x3xf32>, %out: tensor<1x4x3x3x3xf32>) -> tensor<1x4x3x3x3xf32> {
  %0 = linalg.conv_3d_ncdhw_fcdhw ins(%x, %w : tensor<1x3x5x5x5xf32>, tensor<4x3x3x3x3xf32>) outs(%out : tensor<1x4x3x3x3xf32>) -> tensor<1x4x3x3x3xf32>
  func.return %0 : tensor<1x4x3x3x3xf32>
}

// -----

// CHECK: linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins
func.func @depthwise(%x: tensor<1x3x9x9xf32>, %w: tensor<3x3x3xf32>, %out: tensor<1x3x7x4xf32>) -> tensor<1x3x7x4xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<1x3x9x9xf32>, tensor<3x3x3xf32>) outs(%out : tensor<1x3x7x4xf32>) -> tensor<1x3x7x4xf32>
  func.return %0 : tensor<1x3x7x4xf32>
}

// -----

// CHECK: linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins
func.func @pooling_sum(%x: tensor<1x3x8x8xf32>, %w: tensor<2x2xf32>, %out: tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32> {
  %0 = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%out : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  func.return %0 : tensor<1x3x7x7xf32>
}

// -----

// CHECK: linalg.pooling_ndhwc_sum
func.func @pooling_3d(%x: tensor<1x4x4x4x3xf32>, %w: tensor<2x2x2xf32>, %out: tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32> {
  %0 = linalg.pooling_ndhwc_sum {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x4x4x4x3xf32>, tensor<2x2x2xf32>) outs(%out : tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
  func.return %0 : tensor<1x3x3x3x3xf32>
}

// -----

// CHECK: linalg.tanh ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32>)
func.func @on_memrefs(%x: memref<4xf32>) {
  linalg.tanh ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  func.return
}
