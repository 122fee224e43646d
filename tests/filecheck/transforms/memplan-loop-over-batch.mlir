// RUN: xdsl-opt %s --split-input-file -p memplan-loop-over-batch | filecheck %s

// Rows of one sequence are a row and the next one: all of them for one element of the batch, then for the next. Both readers read one
// slice of %x; what they make is put into the results when both are there.

// CHECK-LABEL: func.func @two_results
// CHECK:       %[[N:.*]] = arith.constant 3 : index
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<3x6x4xf32>, tensor<3x5x4xf32>)
// CHECK-NEXT:    %[[X:.*]] = tensor.extract_slice %x[%[[I]], 0, 0] [1, 6, 4] [1, 1, 1] : tensor<3x6x4xf32> to tensor<1x6x4xf32>
// CHECK-NOT:     tensor.extract_slice %x
// CHECK:         linalg.exp ins(%[[X]] : tensor<1x6x4xf32>)
// CHECK-NOT:     tensor.insert_slice
// CHECK:         linalg.add
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[%[[I]], 0, 0]
// CHECK-NEXT:    tensor.insert_slice %{{.*}} into %{{.*}}[%[[I]], 0, 0]
// CHECK-NEXT:    scf.yield
func.func @two_results(%x: tensor<3x6x4xf32>) -> (tensor<3x6x4xf32>, tensor<3x5x4xf32>) {
  %e = tensor.empty() : tensor<3x6x4xf32>
  %y = linalg.exp ins(%x : tensor<3x6x4xf32>) outs(%e : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %a = tensor.extract_slice %x[0, 1, 0] [3, 5, 4] [1, 1, 1] : tensor<3x6x4xf32> to tensor<3x5x4xf32>
  %b = tensor.extract_slice %y[0, 0, 0] [3, 5, 4] [1, 1, 1] : tensor<3x6x4xf32> to tensor<3x5x4xf32>
  %d = tensor.empty() : tensor<3x5x4xf32>
  %z = linalg.add ins(%a, %b : tensor<3x5x4xf32>, tensor<3x5x4xf32>) outs(%d : tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  func.return %y, %z : tensor<3x6x4xf32>, tensor<3x5x4xf32>
}

// -----

// A sum over the batch needs all its elements: it is there before the loop.

// CHECK-LABEL: func.func @sum_of_the_batch
// CHECK:       linalg.matmul
// CHECK:       linalg.reduce
// CHECK:       scf.for
// CHECK-NOT:   linalg.reduce
// CHECK:       linalg.sub
func.func @sum_of_the_batch(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = tensor.empty() : tensor<8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce ins(%y : tensor<4x8xf32>) outs(%g : tensor<8xf32>) dimensions = [0]
    (%p: f32, %o: f32) {
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
    }
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %z = linalg.sub ins(%y, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}

// -----

// One element is no batch, and a thousand rows are none.

// CHECK-LABEL: func.func @no_batch
// CHECK-NOT:   scf.for
func.func @no_batch(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %y = linalg.exp ins(%x : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK-NOT:   scf.for
func.func @rows(%x: tensor<1000x8xf32>) -> tensor<1000x8xf32> {
  %e = tensor.empty() : tensor<1000x8xf32>
  %y = linalg.exp ins(%x : tensor<1000x8xf32>) outs(%e : tensor<1000x8xf32>) -> tensor<1000x8xf32>
  func.return %y : tensor<1000x8xf32>
}

// -----

// Each row of the product is added to the next: in a loop over rows each would be computed twice.

// CHECK-LABEL: func.func @added_to_the_next
// CHECK-NOT:   scf.for
func.func @added_to_the_next(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = tensor.extract_slice %y[1, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>
  %b = tensor.extract_slice %y[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %r = tensor.concat dim(0) %a, %b : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %z = linalg.add ins(%y, %r : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}
