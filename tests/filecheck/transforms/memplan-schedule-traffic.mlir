// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=1536,DDR"}' | filecheck %s

// Each vector of 128 floats takes 512 bytes, and 1536 bytes hold three. %s is written over %r, and %u over %t, so these
// are one operator with the product before: %q, %p and %r or %s, %t, %u are there at once. %o, which is needed at the
// end, is the fourth: it goes out (512) and comes back (512). The result goes out as well, as it has to.
//
// CHECK: memplan.traffic = {bytes = 1024 : i64, bound = 1024 : i64}
// CHECK: %p = linalg.vecmat ins(%o,
// CHECK-NEXT: [[away:%.*]] = memplan.spill %o to @DDR
// CHECK-NEXT: %q = linalg.vecmat
// CHECK: %u = linalg
// CHECK-NEXT: [[back:%.*]] = memplan.retrieve [[away]] to @L1
// CHECK-NEXT: linalg.{{.*}}[[back]]
func.func @main(%x: tensor<128xf32>, %w: tensor<128x128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %o = linalg.vecmat ins(%x, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %p = linalg.vecmat ins(%o, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %q = linalg.vecmat ins(%p, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %r = linalg.vecmat ins(%q, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.sub ins(%q, %r : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %t = linalg.vecmat ins(%s, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %u = linalg.sub ins(%p, %t : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %v = linalg.sub ins(%o, %u : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %v : tensor<128xf32>
}
