// RUN: xdsl-opt -p memplan-generalize-ops --split-input-file %s | filecheck %s

// CHECK: %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) attrs =  {note = 1 : i64} {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf
func.func @map(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.map { arith.addf } ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) {note = 1 : i64}
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
func.func @on_memrefs(%a: memref<4xf32>) {
  linalg.map { math.exp } ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}

// -----

// CHECK: %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: math.exp
func.func @elementwise(%a: tensor<6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%a : tensor<6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: arith.constant 0xffc00000 : f32
// CHECK: iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x6xf32>)
// CHECK: arith.maxnumf
// CHECK: ins(%a, %{{.*}} : tensor<4x6xf32>, tensor<4xf32>) outs(%o : tensor<4x6xf32>)
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: arith.addf
// CHECK: %r = linalg.generic
// CHECK: arith.divf
func.func @softmax(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: linalg.softmax
func.func @left_alone(%a: memref<4x6xf32>) {
  linalg.softmax dimension(0) ins(%a : memref<4x6xf32>) outs(%a : memref<4x6xf32>)
  return
}
