// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=1KiB:banks=2"},memplan-verify' %s | filecheck %s
// RUN: not xdsl-opt -p 'memplan-assign-offsets{memory="L1=1KiB"}' %s 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not xdsl-opt -p 'memplan-assign-offsets{memory="L1=256:banks=4:align=32"}' %s 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not xdsl-opt -p 'memplan-assign-offsets{memory="L1:banks=4"}' %s 2>&1 | filecheck %s --check-prefix=CAPACITY

// Two banks of 512 bytes. %a is apart from %b, %b from %c: %a and %c share a bank.
// NONE: 'linalg.exp' (operation 5 of @main): wants different banks, but memory 'L1' has none
// SMALL: '%b = memref.alloc' (operation 2 of @main): its 128 bytes are more than a bank of 'L1' holds, 64
// CAPACITY: memory 'L1' has 4 banks; they are equal parts of a capacity, such as L1=64KiB:banks=4
// CHECK: memplan.arena @L1 capacity 1024 alignment 64 banks 2 size 640
func.func @main(%x: memref<32xf32>) {
  // CHECK: %a = memref.alloc() {{.*}}memplan.offset = 512 :
  %a = memref.alloc() : memref<32xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = 0 :
  %b = memref.alloc() : memref<32xf32>
  // CHECK: %c = memref.alloc() {{.*}}memplan.offset = 512 :
  %c = memref.alloc() : memref<32xf32>
  linalg.exp ins(%x : memref<32xf32>) outs(%a : memref<32xf32>)
  linalg.exp {memplan.different_banks = array<i64: 0, 1>} ins(%a : memref<32xf32>) outs(%b : memref<32xf32>)
  linalg.exp {memplan.different_banks = array<i64: 0, 1>} ins(%b : memref<32xf32>) outs(%c : memref<32xf32>)
  linalg.exp ins(%c : memref<32xf32>) outs(%x : memref<32xf32>)
  func.return
}
