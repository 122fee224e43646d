// As torch-mlir prints it: a maximum with its place (which nobody needs), exp, sum, quotient.
#rows = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i, 0)>
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %low = arith.constant -3.0e+38 : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<3x1xf32>
  %e1 = tensor.empty() : tensor<3x1xi64>
  %e2 = tensor.empty() : tensor<3x5xf32>
  %lows = linalg.fill ins(%low : f32) outs(%e0 : tensor<3x1xf32>) -> tensor<3x1xf32>
  %places = linalg.fill ins(%none : i64) outs(%e1 : tensor<3x1xi64>) -> tensor<3x1xi64>
  %max:2 = linalg.generic {indexing_maps = [#rows, #first, #first], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x5xf32>) outs(%lows, %places : tensor<3x1xf32>, tensor<3x1xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %out : f32
    %g = arith.cmpf ogt, %in, %out : f32
    %n = arith.select %g, %k, %at : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<3x1xf32>, tensor<3x1xi64>)
  %shifted = linalg.generic {indexing_maps = [#rows, #first, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %max#0 : tensor<3x5xf32>, tensor<3x1xf32>) outs(%e2 : tensor<3x5xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    linalg.yield %d : f32
  } -> tensor<3x5xf32>
  %exp = linalg.exp ins(%shifted : tensor<3x5xf32>) outs(%e2 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x1xf32>) -> tensor<3x1xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #first], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<3x5xf32>) outs(%zeros : tensor<3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<3x1xf32>
  %quotient = linalg.generic {indexing_maps = [#rows, #first, #rows], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<3x5xf32>, tensor<3x1xf32>) outs(%e2 : tensor<3x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.divf %in, %s : f32
    linalg.yield %d : f32
  } -> tensor<3x5xf32>
  func.return %quotient : tensor<3x5xf32>
}
