// RUN: xdsl-opt --split-input-file -p 'memplan-assign-offsets{memory="L1=128,L2=1KiB"},memplan-verify' %s | filecheck %s

// At the second operation 192 bytes live, 64 too many: the smallest that is enough goes to L2.
func.func @overflow(%x: memref<16xf32>) {
  // CHECK-LABEL: @overflow
  // CHECK: %a = memref.alloc() {{.*}}memplan.arena = @L2
  %a = memref.alloc() {memplan.candidates = ["L1", "L2"]} : memref<16xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.arena = @L1
  %b = memref.alloc() {memplan.candidates = ["L1", "L2"]} : memref<32xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  "test.op"(%a, %b) : (memref<16xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// All fit: nobody leaves the memory that it prefers.
func.func @fits(%x: memref<16xf32>) {
  // CHECK-LABEL: @fits
  // CHECK-NOT: memplan.arena = @L2
  %a = memref.alloc() {memplan.candidates = ["L1", "L2"]} : memref<16xf32>
  %b = memref.alloc() {memplan.candidates = ["L1", "L2"]} : memref<16xf32>
  %c = memref.alloc() {memplan.candidates = ["L1", "L2"]} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
