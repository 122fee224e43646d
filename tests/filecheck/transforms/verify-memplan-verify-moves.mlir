// RUN: xdsl-opt -p memplan-verify --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: 'func.func' (@too_many): memplan.traffic says that 8 bytes move in all, its copies move 16
memplan.arena @L1 alignment 4 size 16
func.func @too_many(%x: memref<4xf32>) attributes {memplan.traffic = {total = 8 : i64}} {
  %a = memplan.buffer @L1 size 16 alignment 4 offset 0 : memref<4xf32>
  "memref.copy"(%x, %a) {memplan.move} : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}

// -----

// CHECK: 'scf.for' (operation 4 of @unknown): how often it runs is not known, so the bytes that move cannot be counted; leave 'total' out of memplan.traffic
memplan.arena @L1 alignment 4 size 16
func.func @unknown(%x: memref<4xf32>, %n: index) attributes {memplan.traffic = {total = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memplan.buffer @L1 size 16 alignment 4 offset 0 : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    "memref.copy"(%x, %a) {memplan.move} : (memref<4xf32>, memref<4xf32>) -> ()
  }
  func.return
}

// -----

// The last i is 6: elements [13, 17).
// CHECK: dimension 0 reaches [1, 17), outside of 16
func.func @beyond(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c2 {
    %at = affine.apply affine_map<(d) -> (d * 2 + 1)>(%i)
    %p = memref.subview %x[%at] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.exp ins(%p : memref<4xf32, strided<[1], offset: ?>>) outs(%p : memref<4xf32, strided<[1], offset: ?>>)
  }
  func.return
}

// -----

// CHECK: dimension 0 reaches [-1, 3), outside of 16
func.func @before(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %at = arith.subi %i, %c1 : index
    %p = memref.subview %x[%at] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.exp ins(%p : memref<4xf32, strided<[1], offset: ?>>) outs(%p : memref<4xf32, strided<[1], offset: ?>>)
  }
  func.return
}

// -----

// Kept between 0 and 13, where 12 is the last that fits.
// CHECK: dimension 0 reaches [0, 17), outside of 16
func.func @beyond_the_end(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c13 = arith.constant 13 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %times = arith.muli %i, %c5 : index
    %line = arith.subi %times, %c1 : index
    %low = arith.maxsi %line, %c0 : index
    %at = arith.minsi %low, %c13 : index
    %p = memref.subview %x[%at] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.exp ins(%p : memref<4xf32, strided<[1], offset: ?>>) outs(%p : memref<4xf32, strided<[1], offset: ?>>)
  }
  func.return
}

// -----

// 16 bytes go and come back; what reaches the buffer that is returned is compulsory.
// CHECK: 'func.func' (@broken_promise): memplan.traffic says that 16 bytes move besides the compulsory, its copies move 32
memplan.arena @L1 alignment 16 size 16
memplan.arena @DDR alignment 16 size 32
func.func @broken_promise(%x: memref<4xf32>) -> memref<4xf32> attributes {memplan.traffic = {bytes = 16 : i64, bound = 0 : i64}} {
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

// -----

// CHECK: 'func.func' (@fewer_than_can): memplan.traffic says that 16 bytes move in all, and that no fewer than 17 can (capacity_floor)
memplan.arena @L1 alignment 4 size 16
func.func @fewer_than_can(%x: memref<4xf32>) attributes {memplan.traffic = {total = 16 : i64, floor = 16 : i64, capacity_floor = 17 : i64}} {
  %a = memplan.buffer @L1 size 16 alignment 4 offset 0 : memref<4xf32>
  "memref.copy"(%x, %a) {memplan.move} : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
