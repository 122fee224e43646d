// RUN: xdsl-opt --split-input-file -p memplan-insert-deallocs %s | filecheck %s

// Behind the last use through a view, not behind the last use of the name.
func.func @view(%x: memref<16xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %v = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  "memref.copy"(%v, %y) : (memref<8xf32, strided<[1], offset: 8>>, memref<8xf32>) -> ()
  linalg.exp ins(%x : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
// CHECK-LABEL: @view
// CHECK:      linalg.exp
// CHECK-NEXT: "memref.copy"
// CHECK-NEXT: memref.dealloc %a
// CHECK-NEXT: linalg.exp

// -----

// One that is allocated outside of a loop and used inside is freed behind the loop.
func.func @loop(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%x : memref<16xf32>) outs(%x : memref<16xf32>)
  }
  func.return
}
// CHECK-LABEL: @loop
// CHECK:      outs(%b
// CHECK-NEXT: memref.dealloc %b
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %a

// -----

// Returned, yielded and freed already: nothing. Never used: at once. Stack memory: nothing.
func.func @handed_on(%x: memref<16xf32>, %c: i1) -> memref<16xf32> {
  %r = memref.alloc() : memref<16xf32>
  %never = memref.alloc() : memref<16xf32>
  %stack = memref.alloca() : memref<16xf32>
  %freed = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%stack : memref<16xf32>)
  linalg.exp ins(%x : memref<16xf32>) outs(%freed : memref<16xf32>)
  linalg.exp ins(%x : memref<16xf32>) outs(%r : memref<16xf32>)
  %y = scf.if %c -> (memref<16xf32>) {
    %inner = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%inner : memref<16xf32>)
    scf.yield %inner : memref<16xf32>
  } else {
    scf.yield %x : memref<16xf32>
  }
  memref.dealloc %freed : memref<16xf32>
  func.return %r : memref<16xf32>
}
// CHECK-LABEL: @handed_on
// CHECK:      %never = memref.alloc
// CHECK-NEXT: memref.dealloc %never
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %freed
// CHECK-NEXT: func.return

// -----

// What the next iteration gets is not freed in the loop.
func.func @carried(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<16xf32>) {
    %b = memref.alloc() : memref<16xf32>
    linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
    scf.yield %b : memref<16xf32>
  }
  linalg.exp ins(%r : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
// CHECK-LABEL: @carried
// CHECK-NOT: memref.dealloc
