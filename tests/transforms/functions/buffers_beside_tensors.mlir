func.func private @k(%m: memref<4xf32>, %o: memref<4xf32>) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  linalg.exp ins(%m : memref<4xf32>) outs(%b : memref<4xf32>)
  linalg.exp ins(%b : memref<4xf32>) outs(%o : memref<4xf32>)
  return %b : memref<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @mixed(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %o = memref.alloc() : memref<4xf32>
  %t = func.call @k(%m, %o) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %tt = bufferization.to_tensor %t restrict : memref<4xf32> to tensor<4xf32>
  %z = linalg.add ins(%y, %tt : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
