// RUN: xdsl-opt -p 'memplan-assign-offsets{planner=first-fit-by-size}' --split-input-file %s | filecheck %s

// %a lives [0, 2), %b [1, 3), %c [2, 4): %c takes the place of %a. Peak 128 = load.

// CHECK: memplan.arena @L1 alignment 64 size 128
memplan.arena @L1 alignment 64
// CHECK: func.func @reuse
// CHECK-SAME: memplan.plan = #memplan.plan<"first-fit-by-size", 128 : i64, 128 : i64, 128 : i64>
func.func @reuse(%x: memref<16xf32>) {
  // CHECK: %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 0
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  // CHECK: %b = memplan.buffer @L1 size 64 alignment 64 lifetime <1 : i64, 3 : i64> offset 64
  %b = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  // CHECK: %c = memplan.buffer @L1 size 64 alignment 64 lifetime <2 : i64, 4 : i64> offset 0
  %c = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// Buffers of somebody else: discardable attributes, in the arena that their memory space names.

// CHECK: memplan.arena @L1 alignment 64 size 64
memplan.arena @L1
// CHECK-LABEL: @alloc
func.func @alloc(%x: memref<16xf32>) {
  // CHECK: memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>], memplan.offset = 0 : i64, memplan.arena = @L1}
  %a = memref.alloc() : memref<16xf32, "L1">
  "memref.copy"(%x, %a) : (memref<16xf32>, memref<16xf32, "L1">) -> ()
  "memref.copy"(%a, %x) : (memref<16xf32, "L1">, memref<16xf32>) -> ()
  func.return
}

// -----

// Two memories, one problem each; the plans come in a dictionary.

// CHECK: memplan.arena @L1 alignment 64 size 64
// CHECK: memplan.arena @L2 alignment 64 size 64
memplan.arena @L1
memplan.arena @L2
// CHECK: @two_memories
// CHECK-SAME: memplan.plan = {L1 = #memplan.plan<"first-fit-by-size", 64 : i64, 64 : i64, 64 : i64>, L2 = #memplan.plan<"first-fit-by-size", 64 : i64, 64 : i64, 64 : i64>}
func.func @two_memories(%x: memref<16xf32>) {
  // CHECK: %a = {{.*}} offset 0
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  // CHECK: %b = {{.*}} offset 0
  %b = memplan.buffer @L2 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// While @callee runs it owns [0, 64). %a dies before and may lie there, %b lives across and may not.

// CHECK: memplan.arena @L1 alignment 64 size 128
memplan.arena @L1
func.func @callee(%x: memref<16xf32>) {
  // CHECK: %t = {{.*}} offset 0
  %t = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  linalg.exp ins(%t : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
// CHECK-LABEL: @caller
func.func @caller(%x: memref<16xf32>) {
  // CHECK: %a = {{.*}} lifetime <0 : i64, 2 : i64> offset 0
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  // CHECK: %b = {{.*}} lifetime <1 : i64, 4 : i64> offset 64
  %b = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  func.call @callee(%x) : (memref<16xf32>) -> ()
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// Memory that a callee returns stays taken while the caller needs it: %b must not go to [0, 64).

memplan.arena @L1
func.func @make(%x: memref<16xf32>) -> memref<16xf32> {
  %t = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  func.return %t : memref<16xf32>
}
// CHECK-LABEL: @user
func.func @user(%x: memref<16xf32>) {
  // CHECK: %b = {{.*}} lifetime <1 : i64, 3 : i64> offset 64
  %b = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  %r = func.call @make(%x) : (memref<16xf32>) -> memref<16xf32>
  linalg.exp ins(%r : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%b, %r : memref<16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// The base address counts for alignment: 4096 + 32 = 86 * 48 is a multiple of 48.

memplan.arena @L1 base 4096
// CHECK-LABEL: @base
func.func @base(%x: memref<4xf32>) {
  // CHECK: %a = {{.*}} offset 32
  %a = memplan.buffer @L1 size 16 alignment 48 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  func.return
}

// -----

// A zero-size buffer takes nothing.

// CHECK: memplan.arena @L1 alignment 64 size 0
memplan.arena @L1
func.func @empty(%x: memref<0xf32>) {
  // CHECK: %a = {{.*}} offset 0
  %a = memplan.buffer @L1 size 0 alignment 64 : memref<0xf32>
  linalg.exp ins(%x : memref<0xf32>) outs(%a : memref<0xf32>)
  func.return
}
