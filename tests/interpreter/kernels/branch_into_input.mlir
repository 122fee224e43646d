// The result of the branch could lie where %a is. One arm accumulates what it reads from %a into %b:
// the old contents of %b must not be copied over %a before they are combined.
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %x[%c0] : tensor<4xf32>
  %condition = arith.cmpf ogt, %first, %zero : f32
  %empty = tensor.empty() : tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%y : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.if %condition -> (tensor<4xf32>) {
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %d = arith.subf %out, %in : f32
      linalg.yield %d : f32
    } -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
