// RUN: xdsl-opt --split-input-file --verify-diagnostics -p 'memplan-assign-offsets,memplan-verify' %s | filecheck %s
// RUN: xdsl-opt --split-input-file --verify-diagnostics -p 'memplan-annotate-lifetimes,memplan-assign-offsets,memplan-verify' %s | filecheck %s

// An iteration fills %new while it reads what the one before has filled: with two copies it can,
// each 60 bytes, the second at 64. %first is read in the first iteration, and so through the loop.
func.func @ping_pong(%x: memref<15xf32>, %n: index) {
  // CHECK-LABEL: @ping_pong
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<15xf32>
  linalg.exp ins(%x : memref<15xf32>) outs(%first : memref<15xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<15xf32>) {
    // CHECK: %new = memref.alloc() {{.*}}memplan.copies = 2 : i64, memplan.lifetimes = [#memplan.lifetime<1 : i64, 4 : i64>], memplan.offset = 0 : i64, memplan.copy_stride = 64 : i64
    %new = memref.alloc() {memplan.copies = 2 : i64} : memref<15xf32>
    linalg.exp ins(%x : memref<15xf32>) outs(%new : memref<15xf32>)
    linalg.exp ins(%old : memref<15xf32>) outs(%x : memref<15xf32>)
    scf.yield %new : memref<15xf32>
  }
  linalg.exp ins(%last : memref<15xf32>) outs(%x : memref<15xf32>)
  func.return
}

// -----

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @three): the loop hands this memory to its next iteration, which still needs it while it allocates anew: 2 copies would not do; allocate outside of the loop, or ask for more with memplan.copies = 3 : i64 and alternate
func.func @three(%x: memref<15xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x, %older = %x) -> (memref<15xf32>, memref<15xf32>) {
    %new = memref.alloc() {memplan.copies = 2 : i64} : memref<15xf32>
    linalg.exp ins(%x : memref<15xf32>) outs(%new : memref<15xf32>)
    linalg.exp ins(%old : memref<15xf32>) outs(%x : memref<15xf32>)
    linalg.exp ins(%older : memref<15xf32>) outs(%x : memref<15xf32>)
    scf.yield %new, %old : memref<15xf32>, memref<15xf32>
  }
  func.return
}

// -----

// The outer loop hands it on: which of the copies an inner loop begins with, nobody knows.

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @outer): the loop hands this memory to its next iteration
func.func @outer(%x: memref<15xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<15xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %old) -> (memref<15xf32>) {
      %new = memref.alloc() {memplan.copies = 2 : i64} : memref<15xf32>
      linalg.exp ins(%x : memref<15xf32>) outs(%new : memref<15xf32>)
      linalg.exp ins(%old : memref<15xf32>) outs(%x : memref<15xf32>)
      scf.yield %new : memref<15xf32>
    }
    scf.yield %s : memref<15xf32>
  }
  func.return
}
