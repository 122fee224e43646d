func.func private @first(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %v = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %v, %t : tensor<2x2xf32>, tensor<4xf32>
}
func.func private @through(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %r:2 = call @first(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = call @through(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>)
  %c = linalg.sub ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %v = tensor.collapse_shape %r#0 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %d = linalg.mul ins(%v, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %d, %r#1 : tensor<4xf32>, tensor<4xf32>
}
