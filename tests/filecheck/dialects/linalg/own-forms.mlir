// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Operations with a form of their own, as mlir-opt prints them, both ways.

// CHECK: %{{.*}} = linalg.map { arith.addf } ins(%{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<4x6xf32>) outs(%{{.*}} : tensor<4x6xf32>)
func.func @body_in_short(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.map { arith.addf } ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>)
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK: linalg.map { arith.addi {overflowFlags = #arith.overflow<nsw>} } ins(%{{.*}}, %{{.*}} : memref<6xi32>, memref<6xi32>) outs(%{{.*}} : memref<6xi32>) {note = 1 : i64}
func.func @attributes(%a: memref<6xi32>) {
  linalg.map { arith.addi {overflowFlags = #arith.overflow<nsw>} } ins(%a, %a : memref<6xi32>, memref<6xi32>) outs(%a : memref<6xi32>) {note = 1 : i64}
  return
}

// -----

// The operands of the only operation are not in the order of the inputs.
// CHECK: linalg.map ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) (%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32) {
// CHECK-NEXT: arith.subf
func.func @body(%a: tensor<4xf32>, %b: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.map ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) (%x: f32, %y: f32, %out: f32) {
    %1 = arith.subf %y, %x : f32
    linalg.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: linalg.map outs(%{{.*}} : tensor<4xindex>) (%{{.*}}: index) {
// CHECK-NEXT: linalg.index 0
func.func @index_of_a_map(%o: tensor<4xindex>) -> tensor<4xindex> {
  %0 = linalg.map outs(%o : tensor<4xindex>) (%out: index) {
    %1 = linalg.index 0 : index
    linalg.yield %1 : index
  }
  return %0 : tensor<4xindex>
}

// -----

// CHECK: linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%{{.*}}, %{{.*}} : tensor<6x4xf32>, tensor<6x4xf32>) outs(%{{.*}} : tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK: linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {note = 1 : i64} ins(%{{.*}}, %{{.*}} : f32, tensor<4xf32>)
func.func @elementwise(%a: tensor<6x4xf32>, %s: f32, %b: tensor<4xf32>, %o: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%a, %a : tensor<6x4xf32>, tensor<6x4xf32>) outs(%o : tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {note = 1 : i64} ins(%s, %b : f32, tensor<4xf32>) outs(%o : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// CHECK: linalg.softmax dimension(1) ins(%{{.*}} : tensor<4x6xf32>) outs(%{{.*}} : tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @softmax(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK: linalg.softmax {note = 1 : i64} dimension(0) ins(%{{.*}} : memref<4x6xf32>) outs(%{{.*}} : memref<4x6xf32>)
func.func @softmax_of_memrefs(%a: memref<4x6xf32>) {
  linalg.softmax {note = 1 : i64} dimension(0) ins(%a : memref<4x6xf32>) outs(%a : memref<4x6xf32>)
  return
}
