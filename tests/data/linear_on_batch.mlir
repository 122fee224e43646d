#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#last3 = affine_map<(d0, d1, d2) -> (d2)>
func.func @main(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>, %bias: tensor<5xf32>, %r: tensor<2x3x5xf32>,
    %v: tensor<5x4xf32>) -> (tensor<6x4xf32>, tensor<2x3xi64>, tensor<2x3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %izero = arith.constant 0 : i64
  %e65 = tensor.empty() : tensor<6x5xf32>
  %f65 = linalg.fill ins(%zero : f32) outs(%e65 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %p = linalg.matmul ins(%x, %w : tensor<6x4xf32>, tensor<4x5xf32>) outs(%f65 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %o = tensor.empty() : tensor<2x3x5xf32>
  %b = linalg.generic {indexing_maps = [#id3, #last3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %bias, %r : tensor<2x3x5xf32>, tensor<5xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %in_1: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    %t = arith.addf %s, %in_1 : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5xf32>
  %ev = tensor.empty() : tensor<2x3xf32>
  %fv = linalg.fill ins(%least : f32) outs(%ev : tensor<2x3xf32>) -> tensor<2x3xf32>
  %ei = tensor.empty() : tensor<2x3xi64>
  %fi = linalg.fill ins(%izero : i64) outs(%ei : tensor<2x3xi64>) -> tensor<2x3xi64>
  %m, %at = linalg.generic {indexing_maps = [#id3, #row3, #row3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%b : tensor<2x3x5xf32>) outs(%fv, %fi : tensor<2x3xf32>, tensor<2x3xi64>) {
  ^bb0(%in: f32, %out: f32, %place: i64):
    %n = linalg.index 2 : index
    %k = arith.index_cast %n : index to i64
    %g = arith.cmpf ogt, %in, %out : f32
    %new = arith.maximumf %in, %out : f32
    %where = arith.select %g, %k, %place : i64
    linalg.yield %new, %where : f32, i64
  } -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %d = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b, %m : tensor<2x3x5xf32>, tensor<2x3xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.subf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<2x3x5xf32>
  %c = tensor.collapse_shape %d [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %e64 = tensor.empty() : tensor<6x4xf32>
  %f64 = linalg.fill ins(%zero : f32) outs(%e64 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %q = linalg.matmul ins(%c, %v : tensor<6x5xf32>, tensor<5x4xf32>) outs(%f64 : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %q, %at, %d : tensor<6x4xf32>, tensor<2x3xi64>, tensor<2x3x5xf32>
}
