// The end of a network with LOGITS, to be put before its return.
    %sm_low = arith.constant 0xFF800000 : f32
    %sm_zero = arith.constant 0.0 : f32
    %sm_e1 = tensor.empty() : tensor<1x1xf32>
    %sm_f1 = linalg.fill ins(%sm_low : f32) outs(%sm_e1 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %sm_m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(LOGITS : tensor<1x1000xf32>) outs(%sm_f1 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sm_0 = arith.maximumf %in, %out : f32
      linalg.yield %sm_0 : f32
    } -> tensor<1x1xf32>
    %sm_e = tensor.empty() : tensor<1x1000xf32>
    %sm_x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(LOGITS, %sm_m : tensor<1x1000xf32>, tensor<1x1xf32>) outs(%sm_e : tensor<1x1000xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %sm_0 = arith.subf %in, %in_0 : f32
      %sm_1 = math.exp %sm_0 : f32
      linalg.yield %sm_1 : f32
    } -> tensor<1x1000xf32>
    %sm_f2 = linalg.fill ins(%sm_zero : f32) outs(%sm_e1 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %sm_s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%sm_x : tensor<1x1000xf32>) outs(%sm_f2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sm_0 = arith.addf %in, %out : f32
      linalg.yield %sm_0 : f32
    } -> tensor<1x1xf32>
    %sm_y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sm_x, %sm_s : tensor<1x1000xf32>, tensor<1x1xf32>) outs(%sm_e : tensor<1x1000xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %sm_0 = arith.divf %in, %in_0 : f32
      linalg.yield %sm_0 : f32
    } -> tensor<1x1000xf32>
