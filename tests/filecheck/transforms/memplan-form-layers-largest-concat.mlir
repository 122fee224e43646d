// RUN: xdsl-opt %s -p 'memplan-form-layers{largest-concat=191}' | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-form-layers{largest-concat=192}' | filecheck %s --check-prefix=ONCE

// Two products read a concatenation of 192 bytes: each puts it together.

// CHECK-LABEL: func.func @two_readers
// CHECK:       linalg.matmul {memplan.layer = 0 : i64}
// CHECK:       linalg.matmul {memplan.layer = 1 : i64}
// CHECK:       %[[FIRST:.*]] = tensor.concat dim(1) %a, %b {memplan.layer = 2 : i64}
// CHECK:       linalg.matmul {memplan.layer = 2 : i64} ins(%[[FIRST]], %u
// CHECK:       %[[SECOND:.*]] = tensor.concat dim(1) %a, %b {memplan.layer = 3 : i64}
// CHECK:       linalg.matmul {memplan.layer = 3 : i64} ins(%[[SECOND]], %t

// ONCE-LABEL:  func.func @two_readers
// ONCE:        tensor.concat dim(1) %a, %b {memplan.layer = 1 : i64}
// ONCE-NOT:    tensor.concat
func.func @two_readers(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x4xf32>, %u: tensor<12x4xf32>, %t: tensor<12x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = tensor.empty() : tensor<4x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%h : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x12xf32>
  %p = linalg.matmul ins(%r, %u : tensor<4x12xf32>, tensor<12x4xf32>) outs(%h : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = linalg.matmul ins(%r, %t : tensor<4x12xf32>, tensor<12x4xf32>) outs(%h : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %p, %q : tensor<4x4xf32>, tensor<4x4xf32>
}
