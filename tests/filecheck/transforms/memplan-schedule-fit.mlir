// RUN: xdsl-opt %s -p 'memplan-schedule{objective=fit}' | filecheck %s --check-prefix=ORDER
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=fit memory="L1=2KiB,DDR"}' | filecheck %s --check-prefix=ORDER
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=fit memory="L1=1536"}' | filecheck %s --check-prefix=ORDER
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=fit memory="L1=1536,DDR"}' | filecheck %s --check-prefix=SPILL
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=fit order=keep memory="L1=1536,DDR"}' | filecheck %s --check-prefix=SPILL

// At %r there are %p, %q, %r of 512 bytes each; %s takes over %q, and at %t there are %p, %s, %t: 1536 bytes. A fourth
// vector %o, read with %p at the end, makes it 2048. That fits 2 KiB as it is; it does not fit 1536 bytes, where one
// goes off chip, if there is anywhere to go.

// ORDER-NOT: memplan.spill
// ORDER: @blocks

// SPILL: memplan.traffic = {bytes = {{[0-9]+}} : i64, bound = {{[0-9]+}} : i64}
// SPILL: memplan.spill
// SPILL: memplan.retrieve
// SPILL: @blocks
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

// A function with several blocks is nothing for the search.
func.func @blocks(%n: i32) -> i32 {
  cf.br ^end(%n : i32)
^end(%m: i32):
  func.return %m : i32
}
