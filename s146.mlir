func.func @main(%arg0: tensor<1x4x16xbf16>, %arg1: tensor<1x64xf32>, %arg2: tensor<64x1xf32>, %arg3: tensor<8x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>, %arg6: tensor<64x3xf32>) -> (tensor<64x3xf32>) {
  %k19 = arith.constant dense<-2.0> : tensor<1x64x8xf32>
  %k33 = arith.constant dense<1.0> : tensor<1x8x3xf32>
  %v1 = tensor.collapse_shape %arg0 [[0], [1, 2]] : tensor<1x4x16xbf16> into tensor<1x64xbf16>
  %e2 = tensor.empty() : tensor<1x64xbf16>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v1, %arg1 : tensor<1x64xbf16>, tensor<1x64xf32>) outs(%e2 : tensor<1x64xbf16>) {
  ^bb0(%a3: bf16, %a4: f32, %o5: bf16):
    %i6 = linalg.index 1 : index
    %i7 = arith.index_cast %i6 : index to i32
    %t8 = arith.sitofp %i7 : i32 to bf16
    %y9 = arith.subf %a3, %t8 : bf16
    linalg.yield %y9 : bf16
  } -> tensor<1x64xbf16>
  %e11 = tensor.empty() : tensor<1x64xf32>
  %v12 = linalg.negf ins(%arg1 : tensor<1x64xf32>) outs(%e11 : tensor<1x64xf32>) -> tensor<1x64xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %arg2 : tensor<1x64xf32>, tensor<64x1xf32>) outs(%e11 : tensor<1x64xf32>) {
  ^bb0(%a13: f32, %a14: f32, %o15: f32):
    %y16 = arith.negf %a13 : f32
    %y17 = arith.maximumf %a14, %y16 : f32
    linalg.yield %y17 : f32
  } -> tensor<1x64xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%v18, %k19 : tensor<1x64xf32>, tensor<1x64x8xf32>) outs(%arg3 : tensor<8x64xf32>) {
  ^bb0(%a20: f32, %a21: f32, %o22: f32):
    %y23 = arith.mulf %a20, %a21 : f32
    %y24 = arith.addf %o22, %y23 : f32
    linalg.yield %y24 : f32
  } -> tensor<8x64xf32>
  %v26 = tensor.extract_slice %k19[0, 0, 0] [1, 64, 3] [1, 1, 1] : tensor<1x64x8xf32> to tensor<64x3xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%v25, %arg4 : tensor<8x64xf32>, tensor<64xf32>) outs(%arg5 : tensor<f32>) {
  ^bb0(%a27: f32, %a28: f32, %o29: f32):
    %y30 = arith.addf %a27, %a28 : f32
    %y31 = arith.mulf %o29, %y30 : f32
    linalg.yield %y31 : f32
  } -> tensor<f32>
  %v34 = linalg.batch_reduce_matmul ins(%k19, %k33 : tensor<1x64x8xf32>, tensor<1x8x3xf32>) outs(%arg6 : tensor<64x3xf32>) -> tensor<64x3xf32>
  func.return %v34 : tensor<64x3xf32>
}
