// REQUIRES: mlir-opt
// RUN: xdsl-opt -p memplan-pipeline %s | %mlir_opt --pass-pipeline='builtin.module(expand-strided-metadata)' | filecheck %s

// Of one element a stride means nothing, and MLIR goes by it to tell which dimensions are dropped:
// it fails on a subview with a stride of 3 there.

// CHECK-LABEL: func.func @taken
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [5], sizes: [1], strides: [1]
func.func @taken(%x: tensor<7x1xf32>) -> tensor<1xf32> {
  %s = tensor.extract_slice %x[5, 0] [1, 1] [1, 3] : tensor<7x1xf32> to tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %r = linalg.exp ins(%s : tensor<1xf32>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  func.return %r : tensor<1xf32>
}
