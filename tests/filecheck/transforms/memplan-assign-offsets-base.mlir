// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=1KiB:base=100"},memplan-verify' %s | filecheck %s

// A base of its own alignment: 100 + 28 = 128. The arena does not claim to be aligned to 64.

// CHECK: memplan.arena @L1 capacity 1024 base 100 size 92
memplan.arena @L1 alignment 64
func.func @main(%x: memref<16xf32>) {
  // CHECK: offset 28
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
