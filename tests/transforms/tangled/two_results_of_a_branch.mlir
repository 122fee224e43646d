// As with two_results_of_a_generic: %1 is written over %2, which comes back over it.
func.func @main(%a: tensor<8x6xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %t = arith.constant true
  %e4 = tensor.empty() : tensor<4x6xf32>
  %e8 = tensor.empty() : tensor<8x6xf32>
  %d, %s = scf.if %t -> (tensor<8x6xf32>, tensor<4x6xf32>) {
    %2 = linalg.exp ins(%b : tensor<4x6xf32>) outs(%e4 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = linalg.exp ins(%a : tensor<8x6xf32>) outs(%e8 : tensor<8x6xf32>) -> tensor<8x6xf32>
    scf.yield %1, %2 : tensor<8x6xf32>, tensor<4x6xf32>
  } else {
    scf.yield %a, %b : tensor<8x6xf32>, tensor<4x6xf32>
  }
  %y = tensor.insert_slice %s into %d[0, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<8x6xf32>
  func.return %y : tensor<8x6xf32>
}
