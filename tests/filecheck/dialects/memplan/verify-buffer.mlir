// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: an alignment is at least 1, got 0
memplan.arena @L2
%0 = memplan.buffer @L2 size 64 alignment 0 : memref<16xf32>

// -----

// 16 * 4 = 64 bytes.
// CHECK: memref<16xf32> needs 64 bytes, size is 63
memplan.arena @L2
%0 = memplan.buffer @L2 size 63 alignment 64 : memref<16xf32>

// -----

// Rows of 4 elements, 8 apart, from element 2: 2 + (4 - 1) * 8 + 4 = 30 elements of 4 bytes.
// CHECK: needs 120 bytes, size is 64
memplan.arena @L2
%0 = memplan.buffer @L2 size 64 alignment 64 : memref<4x4xf32, strided<[8, 1], offset: 2>>

// -----

// CHECK: an offset is at least 0, got -64
memplan.arena @L2
%0 = memplan.buffer @L2 size 64 alignment 64 offset -64 : memref<16xf32>

// -----

// CHECK: @L3 is no arena: there is none
memplan.arena @L2
%0 = memplan.buffer @L3 size 64 alignment 64 : memref<16xf32>

// -----

// CHECK: @f is no arena: it is a func.func
func.func private @f()
%0 = memplan.buffer @f size 64 alignment 64 : memref<16xf32>
