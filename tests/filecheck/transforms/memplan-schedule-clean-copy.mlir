// RUN: xdsl-opt %s --split-input-file -p 'memplan-schedule{objective=traffic memory="L1=640,DDR"}' | filecheck %s

// In units of 64 bytes the chip has 10, and %a takes 2, %b, %c, %e and %f 5 each. There is one order. %b and %c fill the
// chip, and so do %e and %f: %a goes out twice. The second time its copy off chip is good: 2 out and 2 times 2 back are
// 6 * 64 = 384 bytes; with a second copy out it were 512. Nothing but %a and the result goes out.
//
// CHECK-LABEL: @evicted_twice
// CHECK-SAME: memplan.traffic = {bytes = 384 : i64, bound = 384 : i64}
// CHECK-NOT: memplan.spill
// CHECK: %b = linalg.vecmat ins(%a
// CHECK: [[away:%.*]] = memplan.spill %a to @DDR
// CHECK-NOT: memplan.spill
// CHECK: [[back:%.*]] = memplan.retrieve [[away]] to @L1
// CHECK-NEXT: %d = linalg.generic {{.*}} ins([[back]], %c
// CHECK-NOT: memplan.spill
// CHECK: [[again:%.*]] = memplan.retrieve [[away]] to @L1
// CHECK-NEXT: %g = linalg.generic {{.*}} ins([[again]], %f
// CHECK: memplan.spill %g to @DDR
// CHECK-NOT: memplan.spill
func.func @evicted_twice(%x: tensor<4xf32>, %u: tensor<4x32xf32>, %v: tensor<32x80xf32>, %w: tensor<80x80xf32>, %y: tensor<16x80xf32>) -> tensor<16xf32> {
  %none32 = tensor.empty() : tensor<32xf32>
  %none80 = tensor.empty() : tensor<80xf32>
  %none16 = tensor.empty() : tensor<16xf32>
  %a = linalg.vecmat ins(%x, %u : tensor<4xf32>, tensor<4x32xf32>) outs(%none32 : tensor<32xf32>) -> tensor<32xf32>
  %b = linalg.vecmat ins(%a, %v : tensor<32xf32>, tensor<32x80xf32>) outs(%none80 : tensor<80xf32>) -> tensor<80xf32>
  %c = linalg.vecmat ins(%b, %w : tensor<80xf32>, tensor<80x80xf32>) outs(%none80 : tensor<80xf32>) -> tensor<80xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%a, %c : tensor<32xf32>, tensor<80xf32>) outs(%none16 : tensor<16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %e = linalg.vecmat ins(%d, %y : tensor<16xf32>, tensor<16x80xf32>) outs(%none80 : tensor<80xf32>) -> tensor<80xf32>
  %f = linalg.vecmat ins(%e, %w : tensor<80xf32>, tensor<80x80xf32>) outs(%none80 : tensor<80xf32>) -> tensor<80xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%a, %f : tensor<32xf32>, tensor<80xf32>) outs(%none16 : tensor<16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  func.return %g : tensor<16xf32>
}

// -----

// What the caller and constants hold lies off chip already: it takes no room between its uses and is never written.
//
// CHECK-LABEL: @not_made_here
// CHECK-SAME: memplan.traffic = {bytes = 0 : i64, bound = 0 : i64}
// CHECK-NOT: memplan.spill
// CHECK-NOT: memplan.retrieve
// CHECK: %d = linalg.vecmat
// CHECK-NEXT: memplan.spill %d to @DDR
// CHECK-NOT: memplan.spill
// CHECK-NOT: memplan.retrieve
// CHECK: func.return
func.func @not_made_here(%x: tensor<80xf32>) -> tensor<80xf32> {
  %w = arith.constant dense_resource<w> : tensor<80x80xf32>
  %none = tensor.empty() : tensor<80xf32>
  %a = linalg.vecmat ins(%x, %w : tensor<80xf32>, tensor<80x80xf32>) outs(%none : tensor<80xf32>) -> tensor<80xf32>
  %b = linalg.vecmat ins(%a, %w : tensor<80xf32>, tensor<80x80xf32>) outs(%none : tensor<80xf32>) -> tensor<80xf32>
  %c = linalg.sub ins(%b, %x : tensor<80xf32>, tensor<80xf32>) outs(%none : tensor<80xf32>) -> tensor<80xf32>
  %d = linalg.vecmat ins(%c, %w : tensor<80xf32>, tensor<80x80xf32>) outs(%none : tensor<80xf32>) -> tensor<80xf32>
  func.return %d : tensor<80xf32>
}
