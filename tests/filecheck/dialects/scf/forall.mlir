// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL has no `scf.forall`, which MLIR's tiling writes.

// CHECK-LABEL: @tiles
// CHECK: %{{.*}}, %{{.*}} = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, %{{.*}}) to (8, 6) step (2, 3) shared_outs(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]], %[[J]]] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x6xf32>
// CHECK-NEXT: tensor.parallel_insert_slice %{{.*}} into %[[P]][%[[J]], %[[I]]] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @tiles(%x: tensor<2x3xf32>, %t: tensor<3x2xf32>, %e: tensor<8x6xf32>, %f: tensor<6x8xf32>, %first: index) -> tensor<8x6xf32> {
  %r:2 = scf.forall (%i, %j) = (0, %first) to (8, 6) step (2, 3) shared_outs(%o = %e, %p = %f) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x6xf32>
      tensor.parallel_insert_slice %t into %p[%j, %i] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x8xf32>
    }
  }
  return %r#0 : tensor<8x6xf32>
}

// -----

// CHECK-LABEL: @memory
// CHECK: scf.forall (%[[I:.*]], %{{.*}}) in (%{{.*}}, 4) {
// CHECK-NEXT: %[[X:.*]] = memref.load
// CHECK-NEXT: memref.store %[[X]]
// CHECK-NEXT: }
func.func @memory(%a: memref<8x4xf32>, %n: index) {
  scf.forall (%i, %j) in (%n, 4) {
    %x = memref.load %a[%i, %j] : memref<8x4xf32>
    memref.store %x, %a[%j, %j] : memref<8x4xf32>
  }
  return
}
