// RUN: xdsl-opt --allow-unregistered-dialect -p memplan-annotate-lifetimes --split-input-file %s | filecheck %s

// Buffer IR of somebody else: memref.alloc, followed through a subview. A deallocation is no use.

// CHECK-LABEL: @alloc
func.func @alloc(%x: memref<4xf32>) {
  // CHECK: %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>]}
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %v = memref.subview %a[0] [4] [1] : memref<4xf32> to memref<4xf32, strided<[1]>>
  linalg.exp ins(%v : memref<4xf32, strided<[1]>>) outs(%x : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  memref.dealloc %a : memref<4xf32>
  func.return
}

// -----

// memplan.buffer has a lifetime of its own.

// CHECK-LABEL: @buffer
func.func @buffer(%x: memref<4xf32>) {
  // CHECK: %a = memplan.buffer @L1 size 16 alignment 4 lifetime <0 : i64, 2 : i64> : memref<4xf32>
  %a = memplan.buffer @L1 size 16 alignment 4 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
  func.return
}
memplan.arena @L1

// -----

// The loop has ticks 0 and 1. %outer is made outside, first written inside at 1 and read at 0 of the
// next iteration: it covers the loop. %inner is made inside: one storage, live at tick 0 to 1.

// CHECK-LABEL: @written_late
func.func @written_late(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %outer = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 3 : i64>]}
  %outer = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %inner = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>]}
    %inner = memref.alloc() : memref<4xf32>
    linalg.exp ins(%outer : memref<4xf32>) outs(%inner : memref<4xf32>)
    linalg.exp ins(%inner : memref<4xf32>) outs(%x : memref<4xf32>)
    linalg.exp ins(%x : memref<4xf32>) outs(%outer : memref<4xf32>)
  }
  func.return
}

// -----

// A returned buffer lives to the end of the function: three ticks.

// CHECK-LABEL: @returned
func.func @returned(%x: memref<4xf32>) -> memref<4xf32> {
  // CHECK: %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 3 : i64>]}
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  func.return %a : memref<4xf32>
}

// -----

// An operation that nobody described reads and writes all it is given, at one tick, and what it
// returns may be any of it: %a is read through %t at tick 2.

// CHECK-LABEL: @unknown
func.func @unknown(%x: memref<4xf32>) {
  // CHECK: %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 3 : i64>]}
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %t = "other.start"(%a) : (memref<4xf32>) -> !other.token
  "other.wait"(%t) : (!other.token) -> ()
  func.return
}
