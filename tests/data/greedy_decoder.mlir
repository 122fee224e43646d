func.func @main(%emb: tensor<50x32xf32>, %wx: tensor<32x64xf32>, %wh: tensor<64x64xf32>, %wo: tensor<64x50xf32>, %h0: tensor<1x64xf32>) -> (tensor<8xi64>, tensor<1x64xf32>) {
%zero = arith.constant 0.0 : f32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%ninf = arith.constant -1.0e30 : f32
%zi = arith.constant 0 : i64
%tk0 = tensor.empty() : tensor<1xi64>
%t0 = linalg.fill ins(%zi : i64) outs(%tk0 : tensor<1xi64>) -> tensor<1xi64>
%oe = tensor.empty() : tensor<8xi64>
%r:3 = scf.for %t = %c0 to %c8 step %c1 iter_args(%h = %h0, %tok = %t0, %out = %oe) -> (tensor<1x64xf32>, tensor<1xi64>, tensor<8xi64>) {
%ti = tensor.extract %tok[%c0] : tensor<1xi64>
%tx = arith.index_cast %ti : i64 to index
%row = tensor.extract_slice %emb[%tx, 0] [1, 32] [1, 1] : tensor<50x32xf32> to tensor<1x32xf32>
%a_e = tensor.empty() : tensor<1x64xf32>
%a_f = linalg.fill ins(%zero : f32) outs(%a_e : tensor<1x64xf32>) -> tensor<1x64xf32>
%a = linalg.matmul ins(%row, %wx : tensor<1x32xf32>, tensor<32x64xf32>) outs(%a_f : tensor<1x64xf32>) -> tensor<1x64xf32>
%b_e = tensor.empty() : tensor<1x64xf32>
%b_f = linalg.fill ins(%zero : f32) outs(%b_e : tensor<1x64xf32>) -> tensor<1x64xf32>
%b = linalg.matmul ins(%h, %wh : tensor<1x64xf32>, tensor<64x64xf32>) outs(%b_f : tensor<1x64xf32>) -> tensor<1x64xf32>
%g_e = tensor.empty() : tensor<1x64xf32>
%g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<1x64xf32>, tensor<1x64xf32>) outs(%g_e : tensor<1x64xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.addf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x64xf32>
%h2_e = tensor.empty() : tensor<1x64xf32>
%h2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<1x64xf32>) outs(%h2_e : tensor<1x64xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x64xf32>
%lo_e = tensor.empty() : tensor<1x50xf32>
%lo_f = linalg.fill ins(%zero : f32) outs(%lo_e : tensor<1x50xf32>) -> tensor<1x50xf32>
%lo = linalg.matmul ins(%h2, %wo : tensor<1x64xf32>, tensor<64x50xf32>) outs(%lo_f : tensor<1x50xf32>) -> tensor<1x50xf32>
%me = tensor.empty() : tensor<1xf32>
%mi = tensor.empty() : tensor<1xi64>
%mf = linalg.fill ins(%ninf : f32) outs(%me : tensor<1xf32>) -> tensor<1xf32>
%mj = linalg.fill ins(%zi : i64) outs(%mi : tensor<1xi64>) -> tensor<1xi64>
%am:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%lo : tensor<1x50xf32>) outs(%mf, %mj : tensor<1xf32>, tensor<1xi64>) {
^bb0(%x: f32, %bx: f32, %bi: i64):
  %ix = linalg.index 1 : index
  %ii = arith.index_cast %ix : index to i64
  %gt = arith.cmpf ogt, %x, %bx : f32
  %nx = arith.select %gt, %x, %bx : f32
  %ni = arith.select %gt, %ii, %bi : i64
  linalg.yield %nx, %ni : f32, i64
} -> (tensor<1xf32>, tensor<1xi64>)
%o2 = tensor.insert_slice %am#1 into %out[%t] [1] [1] : tensor<1xi64> into tensor<8xi64>
scf.yield %h2, %am#1, %o2 : tensor<1x64xf32>, tensor<1xi64>, tensor<8xi64>
}
func.return %r#2, %r#0 : tensor<8xi64>, tensor<1x64xf32>
}
