// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL knows the generic form alone.

// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }{{ ?}}{note = 1 : i64}
// CHECK: %{{.*}}, %{{.*}} = scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}, %{{.*}}) -> (f32, f32) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, f32) {
// CHECK: %{{.*}} = scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}) -> (f32) {
func.func @loops(%a: memref<8x4xf32>, %z: f32, %n: index) -> f32 {
  scf.parallel (%i, %j) = (%n, %n) to (%n, %n) step (%n, %n) {
    memref.store %z, %a[%i, %j] : memref<8x4xf32>
  } {note = 1}
  %0:2 = scf.parallel (%i) = (%n) to (%n) step (%n) init (%z, %z) -> (f32, f32) {
    scf.reduce(%z, %z : f32, f32) {
    ^bb0(%x: f32, %y: f32):
      scf.reduce.return %x : f32
    }, {
    ^bb0(%x: f32, %y: f32):
      scf.reduce.return %y : f32
    }
  }
  %1 = scf.parallel (%i) = (%n) to (%n) step (%n) init (%0#0) -> f32 {
    scf.reduce(%z : f32) {
    ^bb0(%x: f32, %y: f32):
      scf.reduce.return %x : f32
    }
  }
  return %1 : f32
}
