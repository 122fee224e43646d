func.func @main(%x: tensor<20x40xf32>, %w0: tensor<40x40xf32>, %w1: tensor<40x96xf32>, %u1: tensor<24x96xf32>, %w2: tensor<24x96xf32>, %u2: tensor<24x96xf32>, %wo: tensor<24x10xf32>) -> (tensor<20x10xf32>, tensor<1x24xf32>) {
%zero = arith.constant 0.0 : f32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%ninf = arith.constant -1.0e30 : f32
%zi = arith.constant 0 : i64
%cT = arith.constant 20 : index
%pre_e = tensor.empty() : tensor<20x40xf32>
%pre_f = linalg.fill ins(%zero : f32) outs(%pre_e : tensor<20x40xf32>) -> tensor<20x40xf32>
%pre = linalg.matmul ins(%x, %w0 : tensor<20x40xf32>, tensor<40x40xf32>) outs(%pre_f : tensor<20x40xf32>) -> tensor<20x40xf32>
%pret_e = tensor.empty() : tensor<20x40xf32>
%pret = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pre : tensor<20x40xf32>) outs(%pret_e : tensor<20x40xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<20x40xf32>
%se = tensor.empty() : tensor<1x24xf32>
%s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<1x24xf32>) -> tensor<1x24xf32>
%oe = tensor.empty() : tensor<20x24xf32>
%r:5 = scf.for %t = %c0 to %cT step %c1 iter_args(%h1 = %s0, %c1s = %s0, %h2 = %s0, %c2s = %s0, %out = %oe) -> (tensor<1x24xf32>, tensor<1x24xf32>, tensor<1x24xf32>, tensor<1x24xf32>, tensor<20x24xf32>) {
%xt = tensor.extract_slice %pret[%t, 0] [1, 40] [1, 1] : tensor<20x40xf32> to tensor<1x40xf32>
%pa_e = tensor.empty() : tensor<1x96xf32>
%pa_f = linalg.fill ins(%zero : f32) outs(%pa_e : tensor<1x96xf32>) -> tensor<1x96xf32>
%pa = linalg.matmul ins(%xt, %w1 : tensor<1x40xf32>, tensor<40x96xf32>) outs(%pa_f : tensor<1x96xf32>) -> tensor<1x96xf32>
%pb_e = tensor.empty() : tensor<1x96xf32>
%pb_f = linalg.fill ins(%zero : f32) outs(%pb_e : tensor<1x96xf32>) -> tensor<1x96xf32>
%pb = linalg.matmul ins(%h1, %u1 : tensor<1x24xf32>, tensor<24x96xf32>) outs(%pb_f : tensor<1x96xf32>) -> tensor<1x96xf32>
%pz_e = tensor.empty() : tensor<1x96xf32>
%pz = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pa, %pb : tensor<1x96xf32>, tensor<1x96xf32>) outs(%pz_e : tensor<1x96xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.addf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x96xf32>
%pis = tensor.extract_slice %pz[0, 0] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%pi_e = tensor.empty() : tensor<1x24xf32>
%pi = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pis : tensor<1x24xf32>) outs(%pi_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%pfs = tensor.extract_slice %pz[0, 24] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%pf_e = tensor.empty() : tensor<1x24xf32>
%pf = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pfs : tensor<1x24xf32>) outs(%pf_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%pus = tensor.extract_slice %pz[0, 48] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%pu_e = tensor.empty() : tensor<1x24xf32>
%pu = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pus : tensor<1x24xf32>) outs(%pu_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%pos = tensor.extract_slice %pz[0, 72] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%po_e = tensor.empty() : tensor<1x24xf32>
%po = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pos : tensor<1x24xf32>) outs(%po_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%pfc_e = tensor.empty() : tensor<1x24xf32>
%pfc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pf, %c1s : tensor<1x24xf32>, tensor<1x24xf32>) outs(%pfc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%piu_e = tensor.empty() : tensor<1x24xf32>
%piu = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pi, %pu : tensor<1x24xf32>, tensor<1x24xf32>) outs(%piu_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%pc_e = tensor.empty() : tensor<1x24xf32>
%pc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pfc, %piu : tensor<1x24xf32>, tensor<1x24xf32>) outs(%pc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.addf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%ptc_e = tensor.empty() : tensor<1x24xf32>
%ptc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%pc : tensor<1x24xf32>) outs(%ptc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%ph_e = tensor.empty() : tensor<1x24xf32>
%ph = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%po, %ptc : tensor<1x24xf32>, tensor<1x24xf32>) outs(%ph_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qa_e = tensor.empty() : tensor<1x96xf32>
%qa_f = linalg.fill ins(%zero : f32) outs(%qa_e : tensor<1x96xf32>) -> tensor<1x96xf32>
%qa = linalg.matmul ins(%ph, %w2 : tensor<1x24xf32>, tensor<24x96xf32>) outs(%qa_f : tensor<1x96xf32>) -> tensor<1x96xf32>
%qb_e = tensor.empty() : tensor<1x96xf32>
%qb_f = linalg.fill ins(%zero : f32) outs(%qb_e : tensor<1x96xf32>) -> tensor<1x96xf32>
%qb = linalg.matmul ins(%h2, %u2 : tensor<1x24xf32>, tensor<24x96xf32>) outs(%qb_f : tensor<1x96xf32>) -> tensor<1x96xf32>
%qz_e = tensor.empty() : tensor<1x96xf32>
%qz = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qa, %qb : tensor<1x96xf32>, tensor<1x96xf32>) outs(%qz_e : tensor<1x96xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.addf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x96xf32>
%qis = tensor.extract_slice %qz[0, 0] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%qi_e = tensor.empty() : tensor<1x24xf32>
%qi = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qis : tensor<1x24xf32>) outs(%qi_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qfs = tensor.extract_slice %qz[0, 24] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%qf_e = tensor.empty() : tensor<1x24xf32>
%qf = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qfs : tensor<1x24xf32>) outs(%qf_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qus = tensor.extract_slice %qz[0, 48] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%qu_e = tensor.empty() : tensor<1x24xf32>
%qu = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qus : tensor<1x24xf32>) outs(%qu_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qos = tensor.extract_slice %qz[0, 72] [1, 24] [1, 1] : tensor<1x96xf32> to tensor<1x24xf32>
%qo_e = tensor.empty() : tensor<1x24xf32>
%qo = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qos : tensor<1x24xf32>) outs(%qo_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qfc_e = tensor.empty() : tensor<1x24xf32>
%qfc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qf, %c2s : tensor<1x24xf32>, tensor<1x24xf32>) outs(%qfc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qiu_e = tensor.empty() : tensor<1x24xf32>
%qiu = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qi, %qu : tensor<1x24xf32>, tensor<1x24xf32>) outs(%qiu_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qc_e = tensor.empty() : tensor<1x24xf32>
%qc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qfc, %qiu : tensor<1x24xf32>, tensor<1x24xf32>) outs(%qc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.addf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qtc_e = tensor.empty() : tensor<1x24xf32>
%qtc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qc : tensor<1x24xf32>) outs(%qtc_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %o: f32):
  %val = math.tanh %i0 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%qh_e = tensor.empty() : tensor<1x24xf32>
%qh = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%qo, %qtc : tensor<1x24xf32>, tensor<1x24xf32>) outs(%qh_e : tensor<1x24xf32>) {
^bb0(%i0: f32, %i1: f32, %o: f32):
  %val = arith.mulf %i0, %i1 : f32
  linalg.yield %val : f32
} -> tensor<1x24xf32>
%o2 = tensor.insert_slice %qh into %out[%t, 0] [1, 24] [1, 1] : tensor<1x24xf32> into tensor<20x24xf32>
scf.yield %ph, %pc, %qh, %qc, %o2 : tensor<1x24xf32>, tensor<1x24xf32>, tensor<1x24xf32>, tensor<1x24xf32>, tensor<20x24xf32>
}
%y_e = tensor.empty() : tensor<20x10xf32>
%y_f = linalg.fill ins(%zero : f32) outs(%y_e : tensor<20x10xf32>) -> tensor<20x10xf32>
%y = linalg.matmul ins(%r#4, %wo : tensor<20x24xf32>, tensor<24x10xf32>) outs(%y_f : tensor<20x10xf32>) -> tensor<20x10xf32>
func.return %y, %r#3 : tensor<20x10xf32>, tensor<1x24xf32>
}
