// A table that is read inside of a body, where no operand shows it.
func.func @main(%table: tensor<6x4xf32>, %rows: tensor<3xi64>) -> tensor<3x4xf32> {
  %e0 = tensor.empty() : tensor<6x4xf32>
  %scaled = linalg.add ins(%table, %table : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %e1 = tensor.empty() : tensor<3x4xf32>
  %picked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<3xi64>) outs(%e1 : tensor<3x4xf32>) {
  ^bb0(%row: i64, %out: f32):
    %r = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %scaled[%r, %j] : tensor<6x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  %squares = linalg.mul ins(%picked, %picked : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e1 : tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %squares : tensor<3x4xf32>
}
