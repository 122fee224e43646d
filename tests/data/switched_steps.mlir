func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (tensor<8x16xf32>) {
    %r = scf.index_switch %i -> tensor<8x16xf32>
    case 1 {
      %p = linalg.matmul ins(%s, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
      scf.yield %p : tensor<8x16xf32>
    }
    case 2 {
      scf.yield %x : tensor<8x16xf32>
    }
    default {
      %q = linalg.matmul ins(%s, %v : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
      scf.yield %q : tensor<8x16xf32>
    }
    scf.yield %r : tensor<8x16xf32>
  }
  %z = linalg.matmul ins(%y, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  func.return %z : tensor<8x16xf32>
}
