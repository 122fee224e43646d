func.func @main(%a0: tensor<21x12xf32>, %a1: tensor<12xf32>, %a2: tensor<12xf32>, %a3: tensor<12x15xf32>, %a4: tensor<15x16xf32>) -> (tensor<3x16xf32>) {
  %c0 = arith.constant 8.333333333e-02 : f32
  %c1 = arith.constant 1.0e-05 : f32
  %c2 = arith.constant 0.0 : f32
  %c3 = arith.constant 0xFF800000 : f32
  %v1 = tensor.empty() : tensor<21xf32>
  %v2 = linalg.fill ins(%c2 : f32) outs(%v1 : tensor<21xf32>) -> tensor<21xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<21x12xf32>) outs(%v2 : tensor<21xf32>) {
  ^bb0(%x3_0: f32, %x3_1: f32):
    %q4 = arith.addf %x3_0, %x3_1 : f32
    linalg.yield %q4 : f32
  } -> tensor<21xf32>
  %v6 = tensor.empty() : tensor<21x12xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a0, %v5 : tensor<21x12xf32>, tensor<21xf32>) outs(%v6 : tensor<21x12xf32>) {
  ^bb0(%x7_0: f32, %x7_1: f32, %x7_2: f32):
    %t8_0 = arith.mulf %x7_1, %c0 : f32
    %t8_r = arith.subf %x7_0, %t8_0 : f32
    linalg.yield %t8_r : f32
  } -> tensor<21x12xf32>
  %v10 = tensor.empty() : tensor<21x12xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9 : tensor<21x12xf32>) outs(%v10 : tensor<21x12xf32>) {
  ^bb0(%x11_0: f32, %x11_1: f32):
    %t12_r = arith.mulf %x11_0, %x11_0 : f32
    linalg.yield %t12_r : f32
  } -> tensor<21x12xf32>
  %v14 = tensor.empty() : tensor<21xf32>
  %v15 = linalg.fill ins(%c2 : f32) outs(%v14 : tensor<21xf32>) -> tensor<21xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v13 : tensor<21x12xf32>) outs(%v15 : tensor<21xf32>) {
  ^bb0(%x16_0: f32, %x16_1: f32):
    %q17 = arith.addf %x16_0, %x16_1 : f32
    linalg.yield %q17 : f32
  } -> tensor<21xf32>
  %v19 = tensor.empty() : tensor<21x12xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9, %v18 : tensor<21x12xf32>, tensor<21xf32>) outs(%v19 : tensor<21x12xf32>) {
  ^bb0(%x20_0: f32, %x20_1: f32, %x20_2: f32):
    %t21_0 = arith.mulf %x20_1, %c0 : f32
    %t21_1 = arith.addf %t21_0, %c1 : f32
    %t21_2 = math.rsqrt %t21_1 : f32
    %t21_r = arith.mulf %x20_0, %t21_2 : f32
    linalg.yield %t21_r : f32
  } -> tensor<21x12xf32>
  %v23 = tensor.empty() : tensor<21x12xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v22, %a1, %a2 : tensor<21x12xf32>, tensor<12xf32>, tensor<12xf32>) outs(%v23 : tensor<21x12xf32>) {
  ^bb0(%x24_0: f32, %x24_1: f32, %x24_2: f32, %x24_3: f32):
    %t25_0 = arith.mulf %x24_0, %x24_1 : f32
    %t25_r = arith.addf %t25_0, %x24_2 : f32
    linalg.yield %t25_r : f32
  } -> tensor<21x12xf32>
  %v27 = tensor.empty() : tensor<21x15xf32>
  %v28 = linalg.fill ins(%c2 : f32) outs(%v27 : tensor<21x15xf32>) -> tensor<21x15xf32>
  %v29 = linalg.matmul ins(%v26, %a3 : tensor<21x12xf32>, tensor<12x15xf32>) outs(%v28 : tensor<21x15xf32>) -> tensor<21x15xf32>
  %v30 = tensor.empty() : tensor<21x15xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v29 : tensor<21x15xf32>) outs(%v30 : tensor<21x15xf32>) {
  ^bb0(%x31_0: f32, %x31_1: f32):
    %t32_r = arith.maximumf %x31_0, %c2 : f32
    linalg.yield %t32_r : f32
  } -> tensor<21x15xf32>
  %v34 = tensor.expand_shape %v33 [[0, 1], [2]] output_shape [3, 7, 15] : tensor<21x15xf32> into tensor<3x7x15xf32>
  %v35 = tensor.empty() : tensor<3x15xf32>
  %v36 = linalg.fill ins(%c2 : f32) outs(%v35 : tensor<3x15xf32>) -> tensor<3x15xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%v34 : tensor<3x7x15xf32>) outs(%v36 : tensor<3x15xf32>) {
  ^bb0(%x37_0: f32, %x37_1: f32):
    %q38 = arith.addf %x37_0, %x37_1 : f32
    linalg.yield %q38 : f32
  } -> tensor<3x15xf32>
  %v40 = tensor.empty() : tensor<3x16xf32>
  %v41 = linalg.fill ins(%c2 : f32) outs(%v40 : tensor<3x16xf32>) -> tensor<3x16xf32>
  %v42 = linalg.matmul ins(%v39, %a4 : tensor<3x15xf32>, tensor<15x16xf32>) outs(%v41 : tensor<3x16xf32>) -> tensor<3x16xf32>
  %v43 = tensor.empty() : tensor<3xf32>
  %v44 = linalg.fill ins(%c3 : f32) outs(%v43 : tensor<3xf32>) -> tensor<3xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v42 : tensor<3x16xf32>) outs(%v44 : tensor<3xf32>) {
  ^bb0(%x45_0: f32, %x45_1: f32):
    %q46 = arith.maximumf %x45_0, %x45_1 : f32
    linalg.yield %q46 : f32
  } -> tensor<3xf32>
  %v48 = tensor.empty() : tensor<3x16xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v42, %v47 : tensor<3x16xf32>, tensor<3xf32>) outs(%v48 : tensor<3x16xf32>) {
  ^bb0(%x49_0: f32, %x49_1: f32, %x49_2: f32):
    %t50_0 = arith.subf %x49_0, %x49_1 : f32
    %t50_r = math.exp %t50_0 : f32
    linalg.yield %t50_r : f32
  } -> tensor<3x16xf32>
  %v52 = tensor.empty() : tensor<3xf32>
  %v53 = linalg.fill ins(%c2 : f32) outs(%v52 : tensor<3xf32>) -> tensor<3xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v51 : tensor<3x16xf32>) outs(%v53 : tensor<3xf32>) {
  ^bb0(%x54_0: f32, %x54_1: f32):
    %q55 = arith.addf %x54_0, %x54_1 : f32
    linalg.yield %q55 : f32
  } -> tensor<3xf32>
  %v57 = tensor.empty() : tensor<3x16xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v51, %v56 : tensor<3x16xf32>, tensor<3xf32>) outs(%v57 : tensor<3x16xf32>) {
  ^bb0(%x58_0: f32, %x58_1: f32, %x58_2: f32):
    %t59_r = arith.divf %x58_0, %x58_1 : f32
    linalg.yield %t59_r : f32
  } -> tensor<3x16xf32>
  return %v60 : tensor<3x16xf32>
}
