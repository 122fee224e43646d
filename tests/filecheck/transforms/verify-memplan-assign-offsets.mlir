// RUN: xdsl-opt --allow-unregistered-dialect -p 'memplan-assign-offsets{planner=first-fit-by-size memory="L1=100"}' --split-input-file --verify-diagnostics %s | filecheck %s

// %a and %b are live together: 128 bytes.

// CHECK: memory 'L1' is too small for @too_small: required 128 bytes, available 100, excess 28
// CHECK-NEXT: no assignment of offsets needs less than 128 bytes
// CHECK-NEXT: at tick 1, 128 bytes are live in 2 buffers:
// CHECK-NEXT: 72 bytes, live [1, 3): '%b = memplan.buffer' (operation 2 of @too_small, net.mlir:3:1)
// CHECK-NEXT: 56 bytes, live [0, 2): '%a = memplan.buffer' (operation 1 of @too_small)
memplan.arena @L1
func.func @too_small(%x: memref<14xf32>, %y: memref<18xf32>) {
  %a = memplan.buffer @L1 size 56 alignment 4 : memref<14xf32>
  %b = memplan.buffer @L1 size 72 alignment 4 : memref<18xf32> loc("net.mlir":3:1)
  "memref.copy"(%x, %a) : (memref<14xf32>, memref<14xf32>) -> ()
  "other.op"(%a, %b) : (memref<14xf32>, memref<18xf32>) -> ()
  "memref.copy"(%b, %y) : (memref<18xf32>, memref<18xf32>) -> ()
  func.return
}

// -----

// Nothing touches the buffer that is too large.

// CHECK: memory 'L1' is too small for @untouched: required 128 bytes, available 100, excess 28
// CHECK-NEXT: no assignment of offsets needs less than 128 bytes
// CHECK-NEXT: no operation reads or writes what ends highest:
// CHECK-NEXT: 128 bytes, live [0, 0): '%a = memplan.buffer' (operation 1 of @untouched)
memplan.arena @L1
func.func @untouched() {
  %a = memplan.buffer @L1 size 128 alignment 4 : memref<32xf32>
  %b = memplan.buffer @L1 size 8 alignment 4 : memref<2xf32>
  "memref.copy"(%b, %b) : (memref<2xf32>, memref<2xf32>) -> ()
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @dynamic): the size of memref<?xf32> is not known at compile time; only static shapes and strides can be planned
func.func @dynamic(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @huge): memref<4611686018427387904x4xf32> takes 73786976294838206464 bytes, more than 2^63 - 1
func.func @huge() {
  %a = memref.alloc() : memref<4611686018427387904x4xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @unknown_memory): unknown memory 'L7'; known are L1
func.func @unknown_memory() {
  %a = memref.alloc() : memref<4xf32, "L7">
  func.return
}

// -----

// CHECK: option memory: the module has no memory 'L1'; it has L2
memplan.arena @L2

// -----

// Every iteration gets memory of its own, and reads that of the iteration before after it has
// written its own: one address would not do.

// CHECK: '%b = memref.alloc' (operation {{[0-9]+}} of @next_iteration): the loop hands this memory to its next iteration, which still needs it
func.func @next_iteration(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (memref<4xf32>) {
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
    linalg.exp ins(%old : memref<4xf32>) outs(%x : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  func.return
}

// -----

// CHECK: '%b = memref.alloc' (operation {{[0-9]+}} of @parallel): iterations of the parallel loop around it would share one address
func.func @parallel(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// The second call overwrites what the first one returned.

// CHECK: '%r = func.call' (operation 1 of @twice): the memory it returns is still needed when '%s = func.call' (operation 2 of @twice) overwrites it; copy it to a buffer of the caller first
memplan.arena @L1
func.func @make(%x: memref<4xf32>) -> memref<4xf32> {
  %t = memplan.buffer @L1 size 16 alignment 4 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  func.return %t : memref<4xf32>
}
func.func @twice(%x: memref<4xf32>) {
  %r = func.call @make(%x) : (memref<4xf32>) -> memref<4xf32>
  %s = func.call @make(%x) : (memref<4xf32>) -> memref<4xf32>
  linalg.add ins(%r, %s : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  func.return
}

// -----

// Tensors have no buffers yet, so that there is nothing to work on.

// CHECK: '%c = tensor.empty' (operation 1 of @tensors): memplan-assign-offsets works on buffers, and here are tensors and no buffer: run memplan-bufferize first
func.func @tensors() -> tensor<4xf32> {
  %c = tensor.empty() : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
