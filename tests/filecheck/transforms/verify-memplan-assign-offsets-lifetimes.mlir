// RUN: xdsl-opt --split-input-file --verify-diagnostics -p memplan-assign-offsets %s | filecheck %s

// Ticks of a simulator, and a call that takes memory: when?

// CHECK: '%a = memref.alloc' (operation 1 of @caller): its lifetime is [0, 900), and by the operations it is [0, 2); it cannot be kept, as 'func.call' (operation 2 of @caller) takes memory at ticks that given lifetimes do not tell; inline it, or have them computed with keep-lifetimes=false
func.func @callee(%x: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  func.return
}
func.func @caller(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>]} : memref<16xf32>
  func.call @callee(%a) : (memref<16xf32>) -> ()
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// A call that takes none leaves them as they are.

// CHECK: %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>], memplan.offset = 0
func.func private @print(memref<16xf32>)
func.func @prints(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>]} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.call @print(%a) : (memref<16xf32>) -> ()
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @part): its lifetime is [0, 900), and by the operations it is [0, 2); it cannot be kept, as '%b = memref.alloc' (operation 2 of @part) has none; give every buffer of the function one, or have them computed with keep-lifetimes=false
func.func @part(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>]} : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}

// -----

// What is used has to live, whoever counts the ticks.

// CHECK: '%a = memref.alloc' (operation 1 of @never): its lifetime in the IR, [5, 5), is empty, and operations use it from tick 0 to 1
func.func @never(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<5 : i64, 5 : i64>]} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}
