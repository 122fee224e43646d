// %y and %z are assembled in the place of %x. %w reads %x two rows off: it must not be written there.
func.func @main(%a: tensor<8x6xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (tensor<8x6xf32>) {
    %e = tensor.empty() : tensor<8x6xf32>
    %e4 = tensor.empty() : tensor<4x6xf32>
    %s = tensor.extract_slice %x[2, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32>
    %w = linalg.add ins(%s, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e4 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %q = linalg.exp ins(%b : tensor<4x6xf32>) outs(%e4 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %z = tensor.insert_slice %q into %e[0, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<8x6xf32>
    %y = tensor.insert_slice %w into %z[4, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<8x6xf32>
    scf.yield %y : tensor<8x6xf32>
  }
  func.return %r : tensor<8x6xf32>
}
