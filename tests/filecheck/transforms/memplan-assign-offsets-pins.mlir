// RUN: xdsl-opt --split-input-file -p 'memplan-assign-offsets{memory="L1=8KiB:base=0x1000,L2"},memplan-verify' %s | filecheck %s

// %b lives with %a and %c: it goes below the fixed %a, %c may lie anywhere but in %b and in [0, 256).
func.func @pins(%x: memref<16xf32>) {
  // CHECK: %a = memref.alloc() {{.*}}memplan.offset = 4096
  %a = memref.alloc() {memplan.fixed_offset = 4096 : i64} : memref<16xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = 0 :
  %b = memref.alloc() : memref<16xf32>
  // CHECK: %c = memref.alloc() {{.*}}memplan.offset = 320 :
  %c = memref.alloc() {memplan.offset_range = array<i64: 300, 400>} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// Two of 64 bytes in 128: the first that lives fills the lower half, the other has to go above.
func.func @ranges(%x: memref<16xf32>) {
  // CHECK: %a = memref.alloc() {{.*}}memplan.offset = 512 :
  %a = memref.alloc() {memplan.offset_range = array<i64: 512, 640>} : memref<16xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = 576 :
  %b = memref.alloc() {memplan.offset_range = array<i64: 512, 640>} : memref<16xf32>
  // CHECK: %c = memref.alloc() {{.*}}memplan.offset = 512 :
  %c = memref.alloc() {memplan.offset_range = array<i64: 512, 640>} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// Two copies of 60 bytes, aligned to 64: 124 bytes, through the whole loop; %b lies behind them.
func.func @copies(%x: memref<15xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %a = memref.alloc() {{.*}}<0 : i64, 4 : i64>{{.*}}memplan.offset = 0 :
    %a = memref.alloc() {memplan.copies = 2 : i64} : memref<15xf32>
    linalg.exp ins(%x : memref<15xf32>) outs(%a : memref<15xf32>)
    linalg.exp ins(%a : memref<15xf32>) outs(%x : memref<15xf32>)
    // CHECK: %b = memref.alloc() {{.*}}<2 : i64, 4 : i64>{{.*}}memplan.offset = 128 :
    %b = memref.alloc() : memref<15xf32>
    linalg.exp ins(%x : memref<15xf32>) outs(%b : memref<15xf32>)
    linalg.exp ins(%b : memref<15xf32>) outs(%x : memref<15xf32>)
  }
  func.return
}
