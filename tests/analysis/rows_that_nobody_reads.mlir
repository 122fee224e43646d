func.func @main(%x: tensor<1x1x6x6xf32>, %t: tensor<4x3xf32>, %w: tensor<3x3xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x1x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %p = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %k : tensor<1x1x6x6xf32>, tensor<3x3xf32>) outs(%f : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %e1 = tensor.empty() : tensor<4x3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %m = linalg.matmul ins(%t, %w : tensor<4x3xf32>, tensor<3x3xf32>) outs(%f1 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %c = tensor.extract_slice %m[0, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
  func.return %p, %c : tensor<1x1x2x2xf32>, tensor<1x3xf32>
}
