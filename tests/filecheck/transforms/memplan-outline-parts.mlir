// RUN: xdsl-opt %s --split-input-file -p memplan-outline-parts | filecheck %s

// What a loop holds is a function. Its constants are in it; what is filled for the loop is a part of
// its own.

// CHECK-LABEL: func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> attributes {memplan.parts} {
// CHECK:         %f = func.call @main.part1() : () -> tensor<8x64xf32>
// CHECK-NEXT:    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %f) -> (tensor<8x64xf32>) {
// CHECK-NEXT:      %r = func.call @main.part0(%s, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
// CHECK-NEXT:      scf.yield %r : tensor<8x64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = func.call @main.part2(%y, %x) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
// CHECK-NEXT:    func.return %z
// CHECK:       func.func private @main.part0(%s: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> attributes {memplan.part} {
// CHECK:         %zero = arith.constant
// CHECK:         linalg.matmul
// CHECK-NEXT:    %r = linalg.tanh
// CHECK-NEXT:    func.return %r
// CHECK:       func.func private @main.part1() -> tensor<8x64xf32> attributes {memplan.part} {
// CHECK:         linalg.fill
// CHECK:       func.func private @main.part2(
// CHECK:         linalg.add
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %f) -> (tensor<8x64xf32>) {
    %p = linalg.matmul ins(%s, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
    %r = linalg.tanh ins(%p : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    scf.yield %r : tensor<8x64xf32>
  }
  %z = linalg.add ins(%y, %x : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  func.return %z : tensor<8x64xf32>
}

// -----

// Slices at run time stay between the parts: the row that is read is a view, the one that is
// written a copy. An element that a branch needs is read where it lies.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %i
// CHECK-NEXT:      %row = tensor.extract_slice %x[%i, 0]
// CHECK-NEXT:      %t = func.call @rows.part0(%row)
// CHECK-NEXT:      %n = tensor.insert_slice %t into %s[%i, 0]
// CHECK:         %v = tensor.extract %y[%c0, %c1]
// CHECK:         scf.if
// CHECK-NEXT:      %u = func.call @rows.part1(%y)
// CHECK-NEXT:      scf.yield %u
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %y
func.func @rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %e) -> (tensor<8x64xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<1x64xf32>
    %e1 = tensor.empty() : tensor<1x64xf32>
    %t = linalg.tanh ins(%row : tensor<1x64xf32>) outs(%e1 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %n = tensor.insert_slice %t into %s[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<8x64xf32>
    scf.yield %n : tensor<8x64xf32>
  }
  %v = tensor.extract %y[%c0, %c1] : tensor<8x64xf32>
  %is = arith.cmpf olt, %v, %zero : f32
  %z = scf.if %is -> (tensor<8x64xf32>) {
    %u = linalg.exp ins(%y : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    scf.yield %u : tensor<8x64xf32>
  } else {
    scf.yield %y : tensor<8x64xf32>
  }
  func.return %z : tensor<8x64xf32>
}

// -----

// Nothing to do: no loop over tensors; and what has effects.

// CHECK-LABEL: func.func @plain
// CHECK-NOT:     func.call
// CHECK-LABEL: func.func @writes
// CHECK-NOT:     func.call
func.func @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
func.func @writes(%x: tensor<8xf32>, %m: memref<1xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x) -> (tensor<8xf32>) {
    memref.store %zero, %m[%c0] : memref<1xf32>
    %t = linalg.exp ins(%s : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}
