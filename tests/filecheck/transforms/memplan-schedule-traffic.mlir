// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=1536,DDR"}' | filecheck %s

// Each vector of 128 floats takes 512 bytes. %p is needed at the end, and while %q, %r are made from each other
// three are live beside it at most: 3 * 512 = 1536 holds two and %p, so nothing moves while %q becomes %r.
// Where %s is made of %q and %r there is no room for %p: it goes out (512) and comes back (512).
//
// CHECK: memplan.traffic = {bytes = 1024 : i64, bound = 1024 : i64}
// CHECK: [[away:%.*]] = memplan.spill %p to @DDR
// CHECK: [[back:%.*]] = memplan.retrieve [[away]] to @L1
// CHECK-NEXT: linalg.{{.*}}[[back]]
func.func @main(%x: tensor<128xf32>, %w: tensor<128x128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %p = linalg.vecmat ins(%x, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %q = linalg.vecmat ins(%p, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %r = linalg.vecmat ins(%q, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.sub ins(%q, %r : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %t = linalg.vecmat ins(%s, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %u = linalg.sub ins(%p, %t : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %u : tensor<128xf32>
}
