// RUN: xdsl-opt -p 'memplan-verify{lifetimes=given}' --split-input-file --verify-diagnostics %s | filecheck %s

// Ticks of a simulator. %a and %b never live together, as far as she says, but for %c.

// CHECK: @apart
memplan.arena @L1 size 128
func.func @apart(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<900 : i64, 2000 : i64>], memplan.offset = 64 : i64, memplan.arena = @L1} : memref<16xf32>
  %c = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<1000 : i64, 3000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @overlap), bytes [0, 64) at ticks [0, 1000), and '%b = memref.alloc' (operation 2 of @overlap), bytes [32, 96) at ticks [900, 2000), share bytes [32, 64) of @L1 at tick 900
memplan.arena @L1 size 128
func.func @overlap(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<900 : i64, 2000 : i64>], memplan.offset = 32 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}

// -----

// The second operation needs both at one tick.

// CHECK: 'linalg.exp' (operation 4 of @never): no tick is left for it at 1000 or later; the buffers it touches have lifetimes '%a = memref.alloc' (operation 1 of @never) [0, 1000); '%b = memref.alloc' (operation 2 of @never) [1000, 2000)
memplan.arena @L1 size 128
func.func @never(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<1000 : i64, 2000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}

// -----

// Each operation has a tick, but %a cannot be written at 900 for %b and then be read before 800 for %c.

// CHECK: 'linalg.exp' (operation 5 of @order): no tick is left for it at 900 or later
memplan.arena @L1 size 192
func.func @order(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1000 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<900 : i64, 2000 : i64>], memplan.offset = 64 : i64, memplan.arena = @L1} : memref<16xf32>
  %c = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 800 : i64>], memplan.offset = 128 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%c : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @none): has no lifetime, and lifetimes=given computes none
memplan.arena @L1 size 64
func.func @none() {
  %a = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @moved): is at offset 0, but fixed at 64
memplan.arena @L1 size 128
func.func @moved() {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1 : i64>], memplan.fixed_offset = 64 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// The second copy reaches into %b.

// CHECK: share bytes [64, 128) of @L1 at tick 0
memplan.arena @L1 size 128
func.func @copies() {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1 : i64>], memplan.copies = 2 : i64, memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %b = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1 : i64>], memplan.offset = 64 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @elsewhere): is in @L1, but may only be in L2, L3
memplan.arena @L1 size 64
func.func @elsewhere() {
  %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 1 : i64>], memplan.candidates = ["L2", "L3"], memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}
