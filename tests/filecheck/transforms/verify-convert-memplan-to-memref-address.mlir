// RUN: xdsl-opt -p convert-memplan-to-memref --split-input-file --verify-diagnostics %s | filecheck %s
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=alloc}' --split-input-file --verify-diagnostics %s | filecheck %s --check-prefix=ALLOC
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=address}' --split-input-file --verify-diagnostics %s | filecheck %s --check-prefix=ADDRESS

// A global would be bytes elsewhere.

// CHECK: 'memplan.arena' (@L1): @L1 has base 0x10000000, and arena=global would be bytes elsewhere; use arena=address (or argument)
// ALLOC: @L1 has base 0x10000000, and arena=alloc would be bytes elsewhere
// ADDRESS: llvm.inttoptr
memplan.arena @L1 alignment 64 base 268435456 size 64
func.func @main(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

// -----

// CHECK: memref.global
// ALLOC: memref.alloc
// ADDRESS: 'memplan.arena' (@L2): @L2 has no base, so its address is not known; say it when you plan: memory="L2=64KiB:base=0x10000000"
memplan.arena @L2 alignment 64 size 64
func.func @main(%x: memref<16xf32>) {
  %a = memplan.buffer @L2 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}
