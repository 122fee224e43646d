// One arm computes, the other hands on what it was given; the condition is the sign of an element.
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %x[%c0] : tensor<4xf32>
  %positive = arith.cmpf ogt, %first, %zero : f32
  %empty = tensor.empty() : tensor<4xf32>
  %sum = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %chosen = scf.if %positive -> (tensor<4xf32>) {
    %exp = linalg.exp ins(%sum : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %exp : tensor<4xf32>
  } else {
    scf.yield %sum : tensor<4xf32>
  }
  %result = linalg.mul ins(%chosen, %sum : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  func.return %result : tensor<4xf32>
}
