// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"},memplan-keep-on-chip{memory="L1=8KiB,DDR"}' | filecheck %s --check-prefix=FULL
// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"},memplan-keep-on-chip{memory="L1=10KiB,DDR"}' | filecheck %s --check-prefix=SKIP
// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"},memplan-keep-on-chip{memory="L1=26KiB,DDR"}' | filecheck %s --check-prefix=BOTH
// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"},memplan-keep-on-chip{memory="L1=26KiB,DDR" reserve=16384}' | filecheck %s --check-prefix=SKIP
// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"},memplan-keep-on-chip{memory="L1,DDR"}' | filecheck %s --check-prefix=FULL

// The first product is read again by the last group, and a weight by two of them.

// Where groups take all of the memory it is stored beside, and fetched.
// FULL:      %a = memplan.group ins(%x, %w
// FULL:      [[STORED:%.+]] = memplan.store %a into
// FULL:      %b = memplan.group ins(%a, %v
// FULL:      %c = memplan.group ins(%b, %u
// FULL:      %s = memplan.group ins(%c, %w, [[STORED]]
// FULL:      residencies = [#memplan.residency<"resident", 1 : i64>, #memplan.residency<"fetched", 1 : i64>, #memplan.residency<"fetched", 1 : i64>]

// 2 KiB more are enough to keep it.
// SKIP:      %a = memplan.group ins(%x, %w
// SKIP-NOT:  memplan.store
// SKIP-NOT:  memplan.load
// SKIP:      %s = memplan.group ins(%c, %w, %a
// SKIP:      residencies = [#memplan.residency<"resident", 1 : i64>, #memplan.residency<"fetched", 1 : i64>, #memplan.residency<"resident", 1 : i64>]

// 16 KiB more, less what tiles of it took: the weight is loaded once.
// BOTH:      %w_1 = memplan.load %w[0, 0] [64, 64] [1, 1]
// BOTH:      %a = memplan.group ins(%x, %w_1
// BOTH-NOT:  memplan.store
// BOTH:      %s = memplan.group ins(%c, %w_1, %a
// BOTH:      residencies = [#memplan.residency<"resident", 1 : i64>, #memplan.residency<"resident", 1 : i64>, #memplan.residency<"resident", 1 : i64>]
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  %b = linalg.matmul ins(%a, %v : tensor<8x64xf32>, tensor<64x64xf32>) outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  %c = linalg.matmul ins(%b, %u : tensor<8x64xf32>, tensor<64x64xf32>) outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  %d = linalg.matmul ins(%c, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s = linalg.add ins(%a, %d : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  func.return %s : tensor<8x64xf32>
}
