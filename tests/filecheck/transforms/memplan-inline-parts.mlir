// RUN: xdsl-opt %s -p 'memplan-form-layers,memplan-group{memory="L1=32KiB,DDR"},memplan-expand-groups,memplan-inline-parts{memory="L1=32KiB,DDR"}' | filecheck %s

// Tiles are where their part was called, and what the loop hands on is off chip.

// CHECK:       func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> attributes {memplan.split, memplan.traffic = {total = 327680 : i64}} {
// CHECK:         scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
// CHECK:           memplan.load %s
// CHECK-NEXT:      memplan.load %w
// CHECK:           linalg.tanh
// CHECK-NEXT:      %r = memplan.store
// CHECK-NEXT:      scf.yield %r
// CHECK-NEXT:    } {memplan.home = "DDR"}
// CHECK-NOT:   func.func private
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> attributes {memplan.parts} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
    %r = func.call @main.part0(%s, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    scf.yield %r : tensor<8x64xf32>
  }
  func.return %y : tensor<8x64xf32>
}
func.func private @main.part0(%s: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> attributes {memplan.part} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%s, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = linalg.tanh ins(%p : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  func.return %r : tensor<8x64xf32>
}
