// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="memory:align=64"},memplan-verify,convert-memplan-to-memref{arena=alloc}' %s | filecheck %s

// What LLVM's static memory planner takes: allocations in the entry block with their deallocations,
// also through arith.select, the result of scf.if, and inside of scf.if. What it gives: one arena of
// bytes, views, one deallocation.

// CHECK:      [[ARENA:%.*]] = memref.alloc() {alignment = 64 : i64} : memref<320xi8>
// CHECK-NOT:  memref.alloc
// CHECK-NOT:  memref.dealloc %a
// CHECK:      %a = memref.view [[ARENA]]
// CHECK:      %b = memref.view [[ARENA]]
// CHECK:      %c = memref.view [[ARENA]]
// CHECK:      arith.select
// CHECK:      memref.dealloc [[ARENA]] : memref<320xi8>
// CHECK-NEXT: func.return
func.func @main(%x: memref<16xf32>, %p: i1) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<64xf32>
  %v = memref.subview %b[0] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1]>>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%v : memref<16xf32, strided<[1]>>)
  linalg.exp ins(%v : memref<16xf32, strided<[1]>>) outs(%a : memref<16xf32>)
  memref.dealloc %b : memref<64xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%c : memref<16xf32>)
  %s = arith.select %p, %a, %c : memref<16xf32>
  %t = arith.select %p, %c, %a : memref<16xf32>
  linalg.exp ins(%s : memref<16xf32>) outs(%x : memref<16xf32>)
  memref.dealloc %s : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  scf.if %p {
    linalg.exp ins(%x : memref<16xf32>) outs(%d : memref<16xf32>)
    linalg.exp ins(%d : memref<16xf32>) outs(%x : memref<16xf32>)
    memref.dealloc %d : memref<16xf32>
  } else {
    memref.dealloc %d : memref<16xf32>
  }
  memref.dealloc %t : memref<16xf32>
  func.return
}
