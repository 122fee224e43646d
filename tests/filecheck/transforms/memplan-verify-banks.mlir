// RUN: xdsl-opt -p memplan-verify --split-input-file --verify-diagnostics %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-verify{lifetimes=given}' --split-input-file --verify-diagnostics %s | filecheck %s

// Two banks of 512 bytes.

// CHECK: @apart
memplan.arena @L1 capacity 1024 banks 2 size 576
func.func @apart(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 0 : memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 64 lifetime <1 : i64, 2 : i64> offset 512 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp {memplan.different_banks = array<i64: 0, 1>} ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}

// -----

// CHECK: 'linalg.exp' (operation 4 of @together): wants different banks, but '%a = memplan.buffer' (operation 1 of @together), bytes [0, 64), and '%b = memplan.buffer' (operation 2 of @together), bytes [64, 128), both lie in bank 0 of the 2 of @L1, bytes [0, 512)
memplan.arena @L1 capacity 1024 banks 2 size 128
func.func @together(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 0 : memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 64 lifetime <1 : i64, 2 : i64> offset 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp {memplan.different_banks = array<i64: 0, 1>} ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}

// -----

// Through views, in a loop, and over the border between the banks: %b has bytes of both.

// CHECK: wants different banks, but '%a = memref.alloc' (operation {{[0-9]+}} of @view), bytes [0, 64), and '%b = memref.alloc' (operation {{[0-9]+}} of @view), bytes [448, 576), both lie in bank 0 of the 2 of @L1
memplan.arena @L1 capacity 1024 banks 2 size 576
func.func @view(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
    %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>], memplan.offset = 448 : i64, memplan.arena = @L1} : memref<32xf32>
    %v = memref.subview %b[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
    "test.op"(%x, %a, %v) {memplan.different_banks = array<i64: 1, 2>} : (memref<16xf32>, memref<16xf32>, memref<16xf32, strided<[1]>>) -> ()
  }
  func.return
}

// -----

// CHECK: 'test.op' (operation 3 of @none): wants different banks, but @L1 has none; say so: memplan.arena @L1 capacity 65536 banks 4
memplan.arena @L1 size 128
func.func @none() {
  %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 1 : i64> offset 0 : memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 1 : i64> offset 64 : memref<16xf32>
  "test.op"(%a, %b) {memplan.different_banks = array<i64: 0, 1>} : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// CHECK: (operation 2 of @argument): wants operands in different banks, one of which is no buffer of this function
memplan.arena @L1 capacity 1024 banks 2 size 64
func.func @argument(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 1 : i64> offset 0 : memref<16xf32>
  "test.op"(%a, %x) {memplan.different_banks = array<i64: 0, 1>} : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// CHECK: (operation 2 of @operands): memplan.different_banks is array<i64: 0, 7>; write array<i64: 0, 1>, indices of 1 operands
memplan.arena @L1 capacity 1024 banks 2 size 64
func.func @operands() {
  %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 1 : i64> offset 0 : memref<16xf32>
  "test.op"(%a) {memplan.different_banks = array<i64: 0, 7>} : (memref<16xf32>) -> ()
  func.return
}
