// RUN: xdsl-opt -p convert-memplan-to-memref --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: '%a = memplan.buffer' (operation 1 of @no_offset): has no offset; run memplan-assign-offsets first
memplan.arena @L1 size 64
func.func @no_offset() {
  %a = memplan.buffer @L1 size 64 alignment 4 : memref<16xf32>
  func.return
}

// -----

// CHECK: 'memplan.arena' (@L1): alignment 48 is not a power of two, so no memref can be aligned to it; it is the least common multiple of that of the memory
memplan.arena @L1 alignment 48 size 64
func.func @alignment() {
  %a = memplan.buffer @L1 size 64 alignment 48 offset 0 : memref<16xf32>
  func.return
}

// -----

// CHECK: 'memref.dealloc' (operation 3 of @either): may free a planned buffer or another one
memplan.arena @L1 alignment 4 size 64
func.func @either(%x: memref<16xf32>, %flag: i1) {
  %a = memplan.buffer @L1 size 64 alignment 4 offset 0 : memref<16xf32>
  %s = arith.select %flag, %a, %x : memref<16xf32>
  memref.dealloc %s : memref<16xf32>
  func.return
}

// -----

// Tensors have no buffers yet, so that there is nothing to work on.

// CHECK: '%c = tensor.empty' (operation 1 of @tensors): convert-memplan-to-memref works on buffers, and here are tensors and no buffer: run memplan-bufferize first
func.func @tensors() -> tensor<4xf32> {
  %c = tensor.empty() : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
