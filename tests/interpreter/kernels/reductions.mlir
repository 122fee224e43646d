// Transpose, reduce, matrix products in batches.
func.func @main(%q: tensor<2x3x4xf32>, %k: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4x3xf32>
  %kt = linalg.transpose ins(%k : tensor<2x3x4xf32>) outs(%e0 : tensor<2x4x3xf32>) permutation = [0, 2, 1]
  %e1 = tensor.empty() : tensor<2x3x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %scores = linalg.batch_matmul ins(%q, %kt : tensor<2x3x4xf32>, tensor<2x4x3xf32>) outs(%zeros : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %e2 = tensor.empty() : tensor<2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sums = linalg.reduce { arith.addf } ins(%scores : tensor<2x3x3xf32>) outs(%init : tensor<2x3xf32>) dimensions = [2]
  func.return %scores, %sums : tensor<2x3x3xf32>, tensor<2x3xf32>
}
