func.func private @f(%x: tensor<4xf32> {memplan.writable = true}) -> tensor<4xf32> {
  %t = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %t : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.sub ins(%a, %r : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.sub ins(%b, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = call @f(%k) : (tensor<4xf32>) -> tensor<4xf32>
  %h = linalg.sub ins(%c, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %i = linalg.sub ins(%h, %k : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %l = scf.for %n = %c0 to %c3 step %c1 iter_args(%u = %i) -> (tensor<4xf32>) {
    %w = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %v = linalg.sub ins(%u, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %v : tensor<4xf32>
  }
  return %l, %s : tensor<4xf32>, tensor<4xf32>
}
