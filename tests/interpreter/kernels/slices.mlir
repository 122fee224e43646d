// Two halves change places; both come out of one tensor and go into another.
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<24xf32>) {
  %left = tensor.extract_slice %x[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %right = tensor.extract_slice %x[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %half = tensor.empty() : tensor<4x3xf32>
  %exp = linalg.exp ins(%left : tensor<4x3xf32>) outs(%half : tensor<4x3xf32>) -> tensor<4x3xf32>
  %twice = linalg.add ins(%right, %right : tensor<4x3xf32>, tensor<4x3xf32>) outs(%half : tensor<4x3xf32>) -> tensor<4x3xf32>
  %whole = tensor.empty() : tensor<4x6xf32>
  %0 = tensor.insert_slice %twice into %whole[0, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x6xf32>
  %1 = tensor.insert_slice %exp into %0[0, 3] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x6xf32>
  %both = tensor.concat dim(1) %exp, %twice : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %flat = tensor.collapse_shape %both [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  func.return %1, %flat : tensor<4x6xf32>, tensor<24xf32>
}
