// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=6KiB,DDR" max-code=0}' %s | filecheck %s --check-prefix BEST
// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=6KiB,DDR" max-code=0 order=keep}' %s | filecheck %s --check-prefix KEEP

// Two products of one tensor are added up, then a product of the sum of its rows, whose layer comes last in the file.
// As that needs all rows, no tile of it goes together with tiles of rows: in the order of the file all is one group that
// adds up parts of four columns, and reads the tensor again for each four. In a better order its layer is the first, and
// the tensor is read twice: 2 * 8192 in, with 3 * 1024 of weights, and 8192 out.

// BEST-LABEL: func.func @branches
// BEST:       %sums = memplan.group ins(%x :
// BEST:       memplan.layer = 0 : i64
// BEST:       homes = [""], cost = #memplan.group_cost<8192 : i64,
// BEST:       %y = memplan.group ins(%x, %a, %b, %sums, %c :
// BEST:       linalg.matmul {memplan.layer = 1 : i64} ins(%x, %a :
// BEST:       linalg.matmul {memplan.layer = 2 : i64} ins(%x, %b :
// BEST:       linalg.matmul {memplan.layer = 3 : i64} ins(%sums, %c :
// BEST:       homes = ["DDR"], cost = #memplan.group_cost<19456 : i64,

// KEEP-LABEL: func.func @branches
// KEEP:       %y = memplan.group ins(%x, %a, %b, %c :
// KEEP:       linalg.matmul {memplan.layer = 0 : i64}
// KEEP:       linalg.matmul {memplan.layer = 1 : i64}
// KEEP:       linalg.generic {{.*}} {memplan.layer = 2 : i64}
// KEEP:       linalg.matmul {memplan.layer = 3 : i64}
// KEEP:       homes = ["DDR"], cost = #memplan.group_cost<44032 : i64,

func.func @branches(%x: tensor<128x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<128x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  %one = linalg.matmul ins(%x, %a : tensor<128x16xf32>, tensor<16x16xf32>) outs(%f : tensor<128x16xf32>) -> tensor<128x16xf32>
  %two = linalg.matmul ins(%x, %b : tensor<128x16xf32>, tensor<16x16xf32>) outs(%f : tensor<128x16xf32>) -> tensor<128x16xf32>
  %er = tensor.empty() : tensor<1x16xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x16xf32>) -> tensor<1x16xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(r, f) -> (r, f)>, affine_map<(r, f) -> (0, f)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<128x16xf32>) outs(%fr : tensor<1x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  %row = linalg.matmul ins(%sums, %c : tensor<1x16xf32>, tensor<16x16xf32>) outs(%fr : tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, f) -> (r, f)>, affine_map<(r, f) -> (r, f)>, affine_map<(r, f) -> (0, f)>, affine_map<(r, f) -> (r, f)>], iterator_types = ["parallel", "parallel"]} ins(%one, %two, %row : tensor<128x16xf32>, tensor<128x16xf32>, tensor<1x16xf32>) outs(%e : tensor<128x16xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<128x16xf32>
  func.return %y : tensor<128x16xf32>
}
