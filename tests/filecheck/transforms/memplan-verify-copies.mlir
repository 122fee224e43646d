// RUN: xdsl-opt -p memplan-verify --split-input-file --verify-diagnostics %s | filecheck %s

// Copies have their room as long as the loop runs, though no iteration needs %a when %b is written.

// CHECK: '%a = memref.alloc' (operation {{[0-9]+}} of @through_the_loop), bytes [0, 128) at ticks [0, 4), and '%b = memref.alloc' (operation {{[0-9]+}} of @through_the_loop), bytes [64, 128) at ticks [2, 4), share bytes [64, 128) of @L1
memplan.arena @L1 size 128
func.func @through_the_loop(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() {memplan.copies = 2 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
    %b = memref.alloc() {memplan.offset = 64 : i64, memplan.arena = @L1} : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  }
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @stride): its copies of 60 bytes, aligned to 64, are 60 bytes apart
memplan.arena @L1 size 128
func.func @stride() {
  %a = memref.alloc() {alignment = 64 : i64, memplan.copies = 2 : i64, memplan.copy_stride = 60 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<15xf32>
  func.return
}

// -----

// The stride of the plan counts: the second copy is at 128 and ends at 192.

// CHECK: '%a = memref.alloc' (operation 1 of @outside): bytes [0, 192) are outside of @L1 of 128 bytes
memplan.arena @L1 size 128
func.func @outside() {
  %a = memref.alloc() {memplan.copies = 2 : i64, memplan.copy_stride = 128 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// An iteration fills its own while it reads that of the iteration before: two copies.

// CHECK: @ping_pong
memplan.arena @L1 size 192
func.func @ping_pong(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() {memplan.offset = 128 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%first : memref<16xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<16xf32>) {
    %new = memref.alloc() {memplan.copies = 2 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%new : memref<16xf32>)
    linalg.exp ins(%old : memref<16xf32>) outs(%x : memref<16xf32>)
    scf.yield %new : memref<16xf32>
  }
  func.return
}

// -----

// Here the one before the one before is read, too.

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @three), bytes [0, 128) at ticks [1, 4), has 2 copies, and more iterations need theirs at ticks [1, 4)
memplan.arena @L1 size 192
func.func @three(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() {memplan.offset = 128 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%first : memref<16xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first, %older = %first) -> (memref<16xf32>, memref<16xf32>) {
    %new = memref.alloc() {memplan.copies = 2 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%new : memref<16xf32>)
    linalg.exp ins(%old : memref<16xf32>) outs(%x : memref<16xf32>)
    linalg.exp ins(%older : memref<16xf32>) outs(%x : memref<16xf32>)
    scf.yield %new, %old : memref<16xf32>, memref<16xf32>
  }
  func.return
}
