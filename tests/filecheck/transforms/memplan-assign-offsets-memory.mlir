// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=1KiB:align=32:base=0x1000"}' %s | filecheck %s
// RUN: xdsl-opt -p memplan-assign-offsets %s | filecheck %s --check-prefix=MODULE

// The option wins over the attribute of the module, which wins over the arena.

builtin.module attributes {memplan.memories = [#memplan.memory<"L1", 512 : i64, 16 : i64, 0 : i64>]} {
  // CHECK: memplan.arena @L1 capacity 1024 alignment 64 base 4096 size 64
  // MODULE: memplan.arena @L1 capacity 512 alignment 64 base 0 size 64
  memplan.arena @L1 capacity 2048
  func.func @main(%x: memref<16xf32>) {
    %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    func.return
  }
}
