// RUN: xdsl-opt -p 'memplan-schedule{objective=peak}' %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-schedule{objective=fit memory="L1=512,DDR"}' %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-schedule{objective=traffic memory="L1=512,DDR"}' %s | filecheck %s

// Another order would need less, but this one was chosen together with the moves.

// CHECK-LABEL: func.func @main
// CHECK:         memplan.load
// CHECK:         linalg.exp
// CHECK:         linalg.log
// CHECK:         linalg.vecmat
// CHECK-NOT:     memplan.spill
// CHECK:         linalg.vecmat
func.func @main(%x: tensor<64xf32>, %w: tensor<64x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %0 = memplan.load %x[0] [64] [1] : tensor<64xf32> to tensor<64xf32>
  %big = linalg.exp ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %other = linalg.log ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.vecmat ins(%big, %w : tensor<64xf32>, tensor<64x4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.vecmat ins(%other, %w : tensor<64xf32>, tensor<64x4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
