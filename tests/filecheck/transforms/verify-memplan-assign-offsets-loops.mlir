// RUN: xdsl-opt -p memplan-assign-offsets --split-input-file --verify-diagnostics %s | filecheck %s

// What the iteration before the one before has made is read first thing: in between another one was
// written to the only address.

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @two_before): the loop hands this memory to its next iteration
func.func @two_before(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x, %older = %x) -> (memref<4xf32>, memref<4xf32>) {
    linalg.exp ins(%older : memref<4xf32>) outs(%x : memref<4xf32>)
    %new = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%new : memref<4xf32>)
    scf.yield %new, %old : memref<4xf32>, memref<4xf32>
  }
  func.return
}

// -----

// The inner loop reads %old and writes %new in turns, so that %old is read after %new is written.

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @in_turns): the loop hands this memory to its next iteration
func.func @in_turns(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<4xf32>) {
    %new = memref.alloc() : memref<4xf32>
    scf.for %j = %c0 to %n step %c1 {
      linalg.exp ins(%old : memref<4xf32>) outs(%x : memref<4xf32>)
      linalg.exp ins(%x : memref<4xf32>) outs(%new : memref<4xf32>)
    }
    scf.yield %new : memref<4xf32>
  }
  func.return
}

// -----

// The callee has one place for what it returns, and the next iteration calls it again.

// CHECK: '%new = func.call' (operation {{[0-9]+}} of @again): the memory it returns is still needed when it is called again; copy it to a buffer of the caller first
func.func @make(%x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  func.return %t : memref<4xf32>
}
func.func @again(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<4xf32>) {
    %new = func.call @make(%x) : (memref<4xf32>) -> memref<4xf32>
    linalg.exp ins(%old : memref<4xf32>) outs(%x : memref<4xf32>)
    scf.yield %new : memref<4xf32>
  }
  func.return
}

// -----

// The next call reads what this one returns, while it writes there.

// CHECK: '%new = func.call' (operation {{[0-9]+}} of @handed_to_itself): the memory it returns is still needed when it is called again
func.func @make(%x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  func.return %t : memref<4xf32>
}
func.func @handed_to_itself(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<4xf32>) {
    %new = func.call @make(%old) : (memref<4xf32>) -> memref<4xf32>
    scf.yield %new : memref<4xf32>
  }
  func.return
}

// -----

// The inner loop hands out what its last iteration but one has made; the outer loop reads that after
// the last iteration has written its own.

// CHECK: '%new = memref.alloc' (operation {{[0-9]+}} of @by_the_outer_loop): the loop hands this memory to its next iteration
func.func @by_the_outer_loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %x) -> (memref<4xf32>) {
    linalg.exp ins(%kept : memref<4xf32>) outs(%x : memref<4xf32>)
    %older, %newest = scf.for %j = %c0 to %n step %c1 iter_args(%o = %x, %p = %x) -> (memref<4xf32>, memref<4xf32>) {
      %new = memref.alloc() : memref<4xf32>
      linalg.exp ins(%x : memref<4xf32>) outs(%new : memref<4xf32>)
      scf.yield %p, %new : memref<4xf32>, memref<4xf32>
    }
    scf.yield %older : memref<4xf32>
  }
  func.return
}
