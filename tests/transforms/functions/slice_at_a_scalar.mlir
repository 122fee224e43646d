func.func private @g(%i: index) -> index {
  return %i : index
}
func.func @main(%x: tensor<4xf32>, %i: index) -> (tensor<8xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<2xf32>
  %d = tensor.empty() : tensor<8xf32>
  %z = arith.constant 0.5 : f32
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %j = call @g(%i) : (index) -> index
  %s = tensor.extract_slice %x[%j] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %t = linalg.exp ins(%s : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = tensor.insert_slice %t into %f[%j] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %u = tensor.extract_slice %r[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %r, %u : tensor<8xf32>, tensor<2xf32>
}
