// RUN: xdsl-opt %s --split-input-file -p memplan-bufferize | filecheck %s

// Two elementwise operations share one tensor.empty: the first needs a buffer, as the argument must
// not be written, the second works in place. 4 elements of 4 bytes are 16 bytes.
// CHECK:       func.func @in_place(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT:    %y = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 2 : i64> : memref<4xf32>
// CHECK-NEXT:    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    linalg.exp ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    func.return %y : memref<4xf32>
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
