#id = affine_map<(d0, d1) -> (d0, d1)>
#b = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<16x1x64xf32>, %h0: tensor<1x256xf32>, %wx: tensor<64x256xf32>, %wh: tensor<256x256xf32>, %b: tensor<256xf32>) -> tensor<1x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %t = %c0 to %c16 step %c1 iter_args(%h = %h0) -> (tensor<1x256xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 1, 64] [1, 1, 1] : tensor<16x1x64xf32> to tensor<1x64xf32>
    %e = tensor.empty() : tensor<1x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x256xf32>) -> tensor<1x256xf32>
    %a = linalg.matmul ins(%xt, %wx : tensor<1x64xf32>, tensor<64x256xf32>) outs(%f : tensor<1x256xf32>) -> tensor<1x256xf32>
    %c = linalg.matmul ins(%h, %wh : tensor<1x256xf32>, tensor<256x256xf32>) outs(%a : tensor<1x256xf32>) -> tensor<1x256xf32>
    %d = linalg.generic {indexing_maps = [#id, #b, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %b : tensor<1x256xf32>, tensor<256xf32>) outs(%e : tensor<1x256xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %s = arith.addf %i, %j : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
    } -> tensor<1x256xf32>
    scf.yield %d : tensor<1x256xf32>
  }
  func.return %r : tensor<1x256xf32>
}
