// A function with tensors of its own, called twice while other tensors are needed across the calls.
func.func private @square_and_shift(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %square = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %shifted = linalg.add ins(%square, %ones : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  func.return %shifted : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %kept = linalg.mul ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %a = func.call @square_and_shift(%kept) : (tensor<8xf32>) -> tensor<8xf32>
  %ak = linalg.sub ins(%a, %kept : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @square_and_shift(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %akb = linalg.sub ins(%ak, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %result = linalg.add ins(%akb, %kept : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  func.return %result : tensor<8xf32>
}
