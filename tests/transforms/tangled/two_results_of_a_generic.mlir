// Both results are written at once: one cannot lie in the other.
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e4 = tensor.empty() : tensor<4x6xf32>
  %e1 = tensor.empty() : tensor<4x6xf32>
  %s, %d = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e1, %e4 : tensor<4x6xf32>, tensor<4x6xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32, %p: f32):
    %z = arith.addf %x, %y : f32
    %u = arith.subf %x, %y : f32
    linalg.yield %u, %z : f32, f32
  } -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %y = tensor.insert_slice %s into %d[0, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<4x6xf32>
  func.return %y : tensor<4x6xf32>
}
