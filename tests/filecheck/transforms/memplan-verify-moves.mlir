// RUN: xdsl-opt -p memplan-verify --split-input-file %s | filecheck %s

// Twice 16 bytes come from the argument, a region of 8 goes; 24 between two memories of the module.
// The copy of the argument that is not marked is the engine's own, and so is the one inside of L1.

// CHECK-LABEL: func.func @counted
memplan.arena @L1 alignment 4 size 32
memplan.arena @DDR alignment 4 size 32
func.func @counted(%x: memref<8xf32>) attributes {memplan.traffic = {total = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memplan.buffer @L1 size 16 alignment 4 offset 0 : memref<4xf32>
  %b = memplan.buffer @L1 size 16 alignment 4 offset 16 : memref<4xf32>
  %d = memplan.buffer @DDR size 32 alignment 4 offset 0 : memref<8xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    // Elements [0, 4) and [4, 8).
    %c4 = arith.constant 4 : index
    %at = arith.muli %i, %c4 : index
    %p = memref.subview %x[%at] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    "memref.copy"(%p, %a) {memplan.move} : (memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) -> ()
    "memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  %q = memref.subview %d[0] [2] [4] : memref<8xf32> to memref<2xf32, strided<[4]>>
  %h = memref.subview %b[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  "memref.copy"(%h, %q) : (memref<2xf32, strided<[1]>>, memref<2xf32, strided<[4]>>) -> ()
  // Between two regions off chip 4 bytes are read and 4 are written; 16 come back.
  %r = memref.subview %d[1] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: 1>>
  %s = memref.subview %d[7] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: 7>>
  "memref.copy"(%r, %s) : (memref<1xf32, strided<[1], offset: 1>>, memref<1xf32, strided<[1], offset: 7>>) -> ()
  %u = memref.subview %d[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  "memref.copy"(%u, %a) : (memref<4xf32, strided<[1], offset: 4>>, memref<4xf32>) -> ()
  %v = memref.subview %x[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  "memref.copy"(%v, %a) : (memref<4xf32, strided<[1]>>, memref<4xf32>) -> ()
  func.return
}

// -----

// 16 bytes go and come back; what reaches the buffer that is returned is compulsory.
// CHECK-LABEL: func.func @kept_promise
memplan.arena @L1 alignment 16 size 16
memplan.arena @DDR alignment 16 size 32
func.func @kept_promise(%x: memref<4xf32>) -> memref<4xf32> attributes {memplan.traffic = {bytes = 32 : i64, bound = 0 : i64}} {
  %a = memplan.buffer @L1 size 16 alignment 16 offset 0 : memref<4xf32>
  %away = memplan.buffer @DDR size 16 alignment 16 offset 0 : memref<4xf32>
  %b = memplan.buffer @L1 size 16 alignment 16 offset 0 : memref<4xf32>
  %result = memplan.buffer @DDR size 16 alignment 16 offset 16 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  "memref.copy"(%a, %away) : (memref<4xf32>, memref<4xf32>) -> ()
  "memref.copy"(%away, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  "memref.copy"(%b, %result) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return %result : memref<4xf32>
}
