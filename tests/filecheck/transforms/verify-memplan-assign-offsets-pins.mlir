// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=4KiB:base=0x1020"}' --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: '%a = memref.alloc' (operation 1 of @outside): is fixed at bytes [4064, 4128), outside of memory 'L1' of 4096 bytes
func.func @outside(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.fixed_offset = 4064 : i64} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @misaligned): is fixed at address 4192 (offset 64), not a multiple of its alignment 64
func.func @misaligned(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.fixed_offset = 64 : i64} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%b = memref.alloc' (operation 2 of @overlap): is fixed at bytes [64, 128) of memory 'L1', where '%a = memref.alloc' (operation 1 of @overlap) has bytes [32, 96), and both live at tick 1
func.func @overlap(%x: memref<16xf32>) {
  %a = "memref.alloc"() <{alignment = 32 : i64, operandSegmentSizes = array<i32: 0, 0>}> {memplan.fixed_offset = 32 : i64} : () -> memref<16xf32>
  %b = "memref.alloc"() <{alignment = 32 : i64, operandSegmentSizes = array<i32: 0, 0>}> {memplan.fixed_offset = 64 : i64} : () -> memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @range): its 64 bytes, aligned to 64, do not fit into the range [0, 80) of memory 'L1'
func.func @range(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.offset_range = array<i64: 0, 80>} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

// -----

// CHECK: @both, memory 'L1': found no offsets for what must lie in ranges or banks:
// CHECK-NEXT: 64 bytes in [0, 100), live [0, 2): '%a = memref.alloc' (operation 1 of @both)
// CHECK-NEXT: 64 bytes in [0, 100), live [1, 3): '%b = memref.alloc' (operation 2 of @both)
func.func @both(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.offset_range = array<i64: 0, 100>} : memref<16xf32>
  %b = memref.alloc() {memplan.offset_range = array<i64: 0, 100>} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @text): memplan.copies is "two"; write an integer of at least 1, such as 64 : i64
func.func @text(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.copies = "two"} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @unknown): unknown memory 'L7'; known are L1
func.func @unknown(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.candidates = ["L7", "L1"]} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}
