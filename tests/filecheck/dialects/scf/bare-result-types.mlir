// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// One result type may stand without parentheses, which stock xDSL refuses.

// CHECK-LABEL: @loop
// CHECK: %{{.*}} = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>) {
// CHECK: %{{.*}}, %{{.*}} = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<4xf32>, f32) : i32 {
// CHECK: } {note = 1 : i64}
func.func @loop(%a: tensor<4xf32>, %b: f32, %n: index, %m: i32) -> tensor<4xf32> {
  %0 = scf.for %i = %n to %n step %n iter_args(%x = %a) -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  }
  %1:2 = scf.for %i = %m to %m step %m iter_args(%x = %0, %y = %b) -> (tensor<4xf32>, f32) : i32 {
    scf.yield %x, %y : tensor<4xf32>, f32
  } {note = 1}
  return %1#0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @branch
// CHECK: %{{.*}} = scf.if %{{.*}} -> (tensor<4xf32>) {
// CHECK: } else {
// CHECK: %{{.*}}, %{{.*}} = scf.if %{{.*}} -> (tensor<4xf32>, f32) {
// CHECK: }{{ ?}}{note = 1 : i64}
func.func @branch(%c: i1, %a: tensor<4xf32>, %b: f32) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  %1:2 = scf.if %c -> (tensor<4xf32>, f32) {
    scf.yield %0, %b : tensor<4xf32>, f32
  } else {
    scf.yield %a, %b : tensor<4xf32>, f32
  } {note = 1}
  return %1#0 : tensor<4xf32>
}

// -----

// Without results, `scf.yield` may be left out.

// CHECK-LABEL: @memory
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: scf.if %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %{{.*}} {
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
func.func @memory(%a: memref<4xf32>, %b: f32, %n: index, %c: i1) {
  scf.for %i = %n to %n step %n {
    scf.if %c {
      memref.store %b, %a[%i] : memref<4xf32>
    }
  }
  scf.if %c {
  } else {
    memref.store %b, %a[%n] : memref<4xf32>
  }
  return
}
