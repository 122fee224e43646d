// RUN: xdsl-opt -p memplan-verify --split-input-file --verify-diagnostics %s | filecheck %s

// %a is still read when %b is written, and bytes [32, 64) belong to both.

// CHECK: '%a = memplan.buffer' (operation 1 of @overlap), bytes [0, 64) at ticks [0, 2), and '%b = memplan.buffer' (operation 2 of @overlap, net.mlir:9:2), bytes [32, 96) at ticks [1, 3), share bytes [32, 64) of @L1 at tick 1
memplan.arena @L1 size 96
func.func @overlap(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 4 offset 32 : memref<16xf32> loc("net.mlir":9:2)
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// The same through a view that is read late, on allocations of somebody else.

// CHECK: '%a = memref.alloc' (operation 1 of @view), bytes [0, 64) at ticks [0, 3), and '%b = memref.alloc' (operation 3 of @view), bytes [0, 64) at ticks [1, 2), share bytes [0, 64) of @L1 at tick 1
memplan.arena @L1 size 64
func.func @view(%x: memref<16xf32>) {
  %a = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  %v = memref.subview %a[0] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1]>>
  %b = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%v : memref<4xf32, strided<[1]>>) outs(%v : memref<4xf32, strided<[1]>>)
  func.return
}

// -----

// In the next iteration %outer is read, so %inner must not lie there at the end of this one.

// CHECK: '%outer = memplan.buffer' (operation {{[0-9]+}} of @next_iteration), bytes [0, 64) at ticks [0, 2), and '%inner = memplan.buffer' (operation 7 of @next_iteration), bytes [0, 64) at ticks [2, 3), share bytes [0, 64) of @L1
memplan.arena @L1 size 64
func.func @next_iteration(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.exp ins(%outer : memref<16xf32>) outs(%x : memref<16xf32>)
    linalg.exp ins(%x : memref<16xf32>) outs(%outer : memref<16xf32>)
    %inner = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%inner : memref<16xf32>)
  }
  func.return
}

// -----

// CHECK: '%a = memplan.buffer' (operation 1 of @across_call), bytes [0, 64) at ticks [0, 3), and 'func.call' (operation 3 of @across_call), memory taken by the call, bytes [0, 64) at ticks [1, 2), share bytes [0, 64) of @L1 at tick 1
memplan.arena @L1 size 64
func.func @callee(%x: memref<16xf32>) {
  %t = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  func.return
}
func.func @across_call(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.call @callee(%x) : (memref<16xf32>) -> ()
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memplan.buffer' (operation 1 of @short_lifetime): its lifetime is [0, 1), but it is in use at ticks [0, 2)
memplan.arena @L1 size 64
func.func @short_lifetime(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 4 lifetime <0 : i64, 1 : i64> offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// CHECK: '%a = memplan.buffer' (operation 1 of @no_offset): has no offset; run memplan-assign-offsets first
memplan.arena @L1 size 64
func.func @no_offset() {
  %a = memplan.buffer @L1 size 64 alignment 4 : memref<16xf32>
  func.return
}

// -----

// 4096 + 32 = 4128 is no multiple of 64.

// CHECK: '%a = memref.alloc' (operation 1 of @misaligned): address 4128 (offset 32) is not a multiple of its alignment 64
memplan.arena @L1 base 4096 size 96
func.func @misaligned() {
  %a = memref.alloc() {alignment = 64 : i64, memplan.offset = 32 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @outside): bytes [32, 96) are outside of @L1 of 64 bytes
memplan.arena @L1 size 64
func.func @outside() {
  %a = memref.alloc() {memplan.offset = 32 : i64, memplan.arena = @L1} : memref<16xf32>
  func.return
}

// -----

// Tensors have no buffers yet, so that there is nothing to work on.

// CHECK: '%c = tensor.empty' (operation 1 of @tensors): memplan-verify works on buffers, and here are tensors and no buffer: run memplan-bufferize first
func.func @tensors() -> tensor<4xf32> {
  %c = tensor.empty() : tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// -----

// %a is touched again in the iteration after the one that first touches what the iteration before has
// made. It takes three iterations to see that.

// CHECK: share bytes [0, 16) of @memory
func.func @in_the_third_iteration(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @memory} : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<4xf32>) {
    linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
    %new = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @memory} : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%old : memref<4xf32>)
    scf.yield %new : memref<4xf32>
  }
  func.return
}
memplan.arena @memory alignment 16 size 16

// -----

// CHECK: share bytes [0, 16) of @memory
func.func @in_the_third_turn(%x: memref<4xf32>, %c: i1) {
  %a = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @memory} : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %r = scf.while (%old = %x) : (memref<4xf32>) -> memref<4xf32> {
    scf.condition(%c) %old : memref<4xf32>
  } do {
  ^bb0(%kept: memref<4xf32>):
    linalg.exp ins(%a : memref<4xf32>) outs(%x : memref<4xf32>)
    %new = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @memory} : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%kept : memref<4xf32>)
    scf.yield %new : memref<4xf32>
  }
  func.return
}
memplan.arena @memory alignment 16 size 16
