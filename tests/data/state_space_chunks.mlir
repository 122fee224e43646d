// A state space model in two chunks of eight positions; four heads.
func.func @main(%a0: tensor<4x16x8xf32>, %a1: tensor<16x4xf32>, %a2: tensor<16x4xf32>, %a3: tensor<4x8x8xf32>, %a4: tensor<4x8xf32>, %a5: tensor<4x8xf32>, %a6: tensor<4xf32>) -> (tensor<4x16x8xf32>, tensor<4x8x4xf32>) {
%v8 = arith.constant 0.000000000e+00 : f32
%v7 = tensor.empty() : tensor<4x8x4xf32>
%v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
%v10 = tensor.extract_slice %a0[0, 0, 0] [4, 8, 8] [1, 1, 1] : tensor<4x16x8xf32> to tensor<4x8x8xf32>
%v11 = tensor.extract_slice %a1[0, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
%v12 = tensor.extract_slice %a2[0, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
%v13 = tensor.empty() : tensor<8x8xf32>
%v14 = linalg.fill ins(%v8 : f32) outs(%v13 : tensor<8x8xf32>) -> tensor<8x8xf32>
%v15 = linalg.generic {indexing_maps = [affine_map<(i, j, n) -> (i, n)>, affine_map<(i, j, n) -> (j, n)>, affine_map<(i, j, n) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v12, %v11 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%v14 : tensor<8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<8x8xf32>
%v16 = tensor.empty() : tensor<4x8x8xf32>
%v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v15, %a3 : tensor<8x8xf32>, tensor<4x8x8xf32>) outs(%v16 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%r = arith.mulf %i0, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v18 = tensor.empty() : tensor<4x8x8xf32>
%v19 = linalg.fill ins(%v8 : f32) outs(%v18 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
%v20 = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v17, %v10 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%v19 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v21 = tensor.empty() : tensor<4x8x8xf32>
%v22 = linalg.fill ins(%v8 : f32) outs(%v21 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
%v23 = linalg.generic {indexing_maps = [affine_map<(h, i, d, n) -> (i, n)>, affine_map<(h, i, d, n) -> (h, d, n)>, affine_map<(h, i, d, n) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12, %v9 : tensor<8x4xf32>, tensor<4x8x4xf32>) outs(%v22 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v24 = tensor.empty() : tensor<4x8x8xf32>
%v25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v20, %v23, %a5 : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4x8xf32>) outs(%v24 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %i2: f32, %o0: f32):
%m = arith.mulf %i1, %i2 : f32
%r = arith.addf %i0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v26 = tensor.empty() : tensor<4x8x8xf32>
%v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10, %a4 : tensor<4x8x8xf32>, tensor<4x8xf32>) outs(%v26 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%r = arith.mulf %i0, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v28 = tensor.empty() : tensor<4x8x4xf32>
%v29 = linalg.fill ins(%v8 : f32) outs(%v28 : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
%v30 = linalg.generic {indexing_maps = [affine_map<(h, d, n, j) -> (h, j, d)>, affine_map<(h, d, n, j) -> (j, n)>, affine_map<(h, d, n, j) -> (h, d, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v27, %v11 : tensor<4x8x8xf32>, tensor<8x4xf32>) outs(%v29 : tensor<4x8x4xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x4xf32>
%v31 = tensor.empty() : tensor<4x8x4xf32>
%v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v9, %v30, %a6 : tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4xf32>) outs(%v31 : tensor<4x8x4xf32>) {
^bb0(%i0: f32, %i1: f32, %i2: f32, %o0: f32):
%m = arith.mulf %i0, %i2 : f32
%r = arith.addf %m, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x4xf32>
%v33 = tensor.extract_slice %a0[0, 8, 0] [4, 8, 8] [1, 1, 1] : tensor<4x16x8xf32> to tensor<4x8x8xf32>
%v34 = tensor.extract_slice %a1[8, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
%v35 = tensor.extract_slice %a2[8, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
%v36 = tensor.empty() : tensor<8x8xf32>
%v37 = linalg.fill ins(%v8 : f32) outs(%v36 : tensor<8x8xf32>) -> tensor<8x8xf32>
%v38 = linalg.generic {indexing_maps = [affine_map<(i, j, n) -> (i, n)>, affine_map<(i, j, n) -> (j, n)>, affine_map<(i, j, n) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v35, %v34 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%v37 : tensor<8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<8x8xf32>
%v39 = tensor.empty() : tensor<4x8x8xf32>
%v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v38, %a3 : tensor<8x8xf32>, tensor<4x8x8xf32>) outs(%v39 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%r = arith.mulf %i0, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v41 = tensor.empty() : tensor<4x8x8xf32>
%v42 = linalg.fill ins(%v8 : f32) outs(%v41 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
%v43 = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v40, %v33 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%v42 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v44 = tensor.empty() : tensor<4x8x8xf32>
%v45 = linalg.fill ins(%v8 : f32) outs(%v44 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
%v46 = linalg.generic {indexing_maps = [affine_map<(h, i, d, n) -> (i, n)>, affine_map<(h, i, d, n) -> (h, d, n)>, affine_map<(h, i, d, n) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v35, %v32 : tensor<8x4xf32>, tensor<4x8x4xf32>) outs(%v45 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v47 = tensor.empty() : tensor<4x8x8xf32>
%v48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v43, %v46, %a5 : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4x8xf32>) outs(%v47 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %i2: f32, %o0: f32):
%m = arith.mulf %i1, %i2 : f32
%r = arith.addf %i0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v49 = tensor.empty() : tensor<4x8x8xf32>
%v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v33, %a4 : tensor<4x8x8xf32>, tensor<4x8xf32>) outs(%v49 : tensor<4x8x8xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%r = arith.mulf %i0, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x8xf32>
%v51 = tensor.empty() : tensor<4x8x4xf32>
%v52 = linalg.fill ins(%v8 : f32) outs(%v51 : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
%v53 = linalg.generic {indexing_maps = [affine_map<(h, d, n, j) -> (h, j, d)>, affine_map<(h, d, n, j) -> (j, n)>, affine_map<(h, d, n, j) -> (h, d, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v50, %v34 : tensor<4x8x8xf32>, tensor<8x4xf32>) outs(%v52 : tensor<4x8x4xf32>) {
^bb0(%i0: f32, %i1: f32, %o0: f32):
%m = arith.mulf %i0, %i1 : f32
%r = arith.addf %o0, %m : f32
linalg.yield %r : f32
} -> tensor<4x8x4xf32>
%v54 = tensor.empty() : tensor<4x8x4xf32>
%v55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v32, %v53, %a6 : tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4xf32>) outs(%v54 : tensor<4x8x4xf32>) {
^bb0(%i0: f32, %i1: f32, %i2: f32, %o0: f32):
%m = arith.mulf %i0, %i2 : f32
%r = arith.addf %m, %i1 : f32
linalg.yield %r : f32
} -> tensor<4x8x4xf32>
%v56 = tensor.concat dim(1) %v25, %v48 : (tensor<4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<4x16x8xf32>
func.return %v56, %v55 : tensor<4x16x8xf32>, tensor<4x8x4xf32>
}
