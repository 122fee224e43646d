// RUN: xdsl-opt -p memplan-annotate-lifetimes --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: 'func.call' (operation 1 of @b): recursion between functions cannot be planned: @a -> @b -> @a
func.func @a(%x: tensor<4xf32>) {
  func.call @b(%x) : (tensor<4xf32>) -> ()
  func.return
}
func.func @b(%x: tensor<4xf32>) {
  func.call @a(%x) : (tensor<4xf32>) -> ()
  func.return
}

// -----

// CHECK: 'linalg.exp' (operation {{[0-9]+}} of @branches): tensors and memrefs in unstructured control flow have no order in time
func.func @branches(%x: memref<4xf32>, %flag: i1) {
  cf.cond_br %flag, ^bb1, ^bb2
^bb1:
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  cf.br ^bb2
^bb2:
  func.return
}

// -----

// CHECK: 'memref.dma_start' (operation 2 of @dma, net.mlir:7:3): cannot be planned, it uses memory in a way or at a time that it does not tell
func.func @dma(%x: memref<4xf32>, %y: memref<4xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  "memref.dma_start"(%x, %c0, %y, %c0, %c0, %tag, %c0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>} : (memref<4xf32>, index, memref<4xf32, 1>, index, index, memref<1xi32>, index) -> () loc("net.mlir":7:3)
  func.return
}
