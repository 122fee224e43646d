// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What an arena finds wrong with its buffers.

// CHECK: buffer %a (64 bytes) has memory space "L1", its arena @L2 has "L2"
memplan.arena @L2 space "L2"
%a = memplan.buffer @L2 size 64 alignment 64 : memref<16xf32, "L1">

// -----

// CHECK: buffer %a (64 bytes) has memory space 1 : i32, its arena @L2 has none
memplan.arena @L2
%a = memplan.buffer @L2 size 64 alignment 64 : memref<16xf32, 1 : i32>

// -----

// 32 is half of 64.
// CHECK: buffer %a (64 bytes, offset 32): the offset is not aligned to 64
memplan.arena @L2
%a = memplan.buffer @L2 size 64 alignment 64 offset 32 : memref<16xf32>

// -----

// The address counts: 4096 + 32 + 64 = 4192 = 65 * 64 + 32.
// CHECK: buffer %a (64 bytes, offset 64): address 4192 (base 4128) is not aligned to 64
memplan.arena @L2 base 4128
%a = memplan.buffer @L2 size 64 alignment 64 offset 64 : memref<16xf32>

// -----

// 4128 + 32 = 4160 = 65 * 64: the address is aligned, though neither base nor offset is.
// CHECK: memplan.arena @aligned_address base 4128
memplan.arena @aligned_address base 4128
%a = memplan.buffer @aligned_address size 64 alignment 64 offset 32 : memref<16xf32>

// -----

// CHECK: buffer %a (64 bytes, offset 0): alignment 128 cannot be kept in arena @L2, which is only aligned to 64
memplan.arena @L2 alignment 64
%a = memplan.buffer @L2 size 64 alignment 128 offset 0 : memref<16xf32>

// -----

// 64 + 64 = 128.
// CHECK: buffer %a (64 bytes, offset 64) ends at 128, outside of its arena @L2 of size 100
memplan.arena @L2 size 100
%a = memplan.buffer @L2 size 64 alignment 64 offset 64 : memref<16xf32>

// -----

// CHECK: buffer %a (64 bytes, offset 64) ends at 128, outside of its arena @L2 of capacity 100
memplan.arena @L2 capacity 100
%a = memplan.buffer @L2 size 64 alignment 64 offset 64 : memref<16xf32>

// -----

// Both at tick 2; bytes [0, 64) and [32, 96).
// CHECK: buffer %b (64 bytes, lifetime [1, 4), offset 32) and buffer %a (64 bytes, lifetime [2, 3), offset 0) share bytes and are both live at tick 2
memplan.arena @L2
func.func @overlap() {
  %a = memplan.buffer @L2 size 64 alignment 32 lifetime <2 : i64, 3 : i64> offset 0 : memref<16xf32>
  %b = memplan.buffer @L2 size 64 alignment 32 lifetime <1 : i64, 4 : i64> offset 32 : memref<16xf32>
  func.return
}

// -----

// A large buffer reaches over two small ones; only the second is live together with it.
// CHECK: buffer %large (256 bytes, lifetime [2, 4), offset 0) and buffer %late (64 bytes, lifetime [3, 5), offset 192) share bytes and are both live at tick 3
memplan.arena @L2
func.func @reaches_far() {
  %large = memplan.buffer @L2 size 256 alignment 64 lifetime <2 : i64, 4 : i64> offset 0 : memref<64xf32>
  %early = memplan.buffer @L2 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 64 : memref<16xf32>
  %late = memplan.buffer @L2 size 64 alignment 64 lifetime <3 : i64, 5 : i64> offset 192 : memref<16xf32>
  func.return
}

// -----

// Touching in time, touching in space, empty, never live, in another function, in another arena, not placed.
// CHECK: memplan.arena @valid
memplan.arena @valid size 256
memplan.arena @other
func.func @f() {
  %a = memplan.buffer @valid size 64 alignment 64 lifetime <0 : i64, 3 : i64> offset 0 : memref<16xf32>
  %time = memplan.buffer @valid size 64 alignment 64 lifetime <3 : i64, 5 : i64> offset 0 : memref<16xf32>
  %space = memplan.buffer @valid size 64 alignment 64 lifetime <0 : i64, 5 : i64> offset 64 : memref<16xf32>
  %empty = memplan.buffer @valid size 0 alignment 1 lifetime <0 : i64, 5 : i64> offset 32 : memref<0xf32>
  %never = memplan.buffer @valid size 64 alignment 64 lifetime <2 : i64, 2 : i64> offset 0 : memref<16xf32>
  %arena = memplan.buffer @other size 64 alignment 64 lifetime <0 : i64, 5 : i64> offset 0 : memref<16xf32>
  %later = memplan.buffer @valid size 512 alignment 64 lifetime <0 : i64, 5 : i64> : memref<128xf32>
  func.return
}
func.func @g() {
  %a = memplan.buffer @valid size 64 alignment 64 lifetime <0 : i64, 3 : i64> offset 0 : memref<16xf32>
  func.return
}
