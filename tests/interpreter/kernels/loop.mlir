// A sum that a loop carries; every iteration also needs a tensor of its own.
func.func @main(%x: tensor<5x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %init) -> (tensor<4xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %empty = tensor.empty() : tensor<4xf32>
    %exp = linalg.exp ins(%row : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %next = linalg.add ins(%acc, %exp : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  func.return %sum : tensor<4xf32>
}
