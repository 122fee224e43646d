// Padding, a convolution with stride 2, a maximum over windows whose tensor has a shape only.
func.func @main(%x: tensor<1x2x6x6xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -3.0e+38 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %v: index):
    tensor.yield %zero : f32
  } : tensor<1x2x6x6xf32> to tensor<1x2x8x8xf32>
  %e0 = tensor.empty() : tensor<1x3x3x3xf32>
  %bias = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e0 : tensor<1x3x3x3xf32>) dimensions = [0, 2, 3]
  %conv = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %w : tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>) outs(%bias : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  %e1 = tensor.empty() : tensor<1x3x2x2xf32>
  %lows = linalg.fill ins(%low : f32) outs(%e1 : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %pool = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%conv, %window : tensor<1x3x3x3xf32>, tensor<2x2xf32>) outs(%lows : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  func.return %pool : tensor<1x3x2x2xf32>
}
