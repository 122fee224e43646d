// RUN: xdsl-opt %s --split-input-file -p 'memplan-form-layers{store-parts=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'memplan-form-layers{store-parts=true},memplan-group{memory="L1=1KiB,DDR"},memplan-expand-groups' | filecheck %s --check-prefix=TILES

// What is put together only to be returned has no layer. Each product is stored where it lies in the result.

// CHECK-LABEL: func.func @side_by_side
// CHECK:       linalg.matmul {memplan.layer = 0 : i64}
// CHECK:       linalg.matmul {memplan.layer = 1 : i64}
// CHECK:       tensor.concat dim(1) %a, %b : (

// TILES-LABEL: func.func @side_by_side
// TILES:       %[[WHOLE:.*]] = tensor.empty() : tensor<4x12xf32>
// TILES:       %[[FIRST:.*]] = memplan.store %{{.*}} into %[[WHOLE]][0, 0] [4, 8] [1, 1] to @DDR : tensor<4x8xf32> into tensor<4x12xf32>
// TILES:       %[[BOTH:.*]] = memplan.store %{{.*}} into %[[FIRST]][0, 8] [4, 4] [1, 1] to @DDR : tensor<4x4xf32> into tensor<4x12xf32>
// TILES-NOT:   tensor.concat
// TILES:       func.return %[[BOTH]]
func.func @side_by_side(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %y: tensor<4x2xf32>, %w: tensor<2x4xf32>) -> tensor<4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = tensor.empty() : tensor<4x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%y, %w : tensor<4x2xf32>, tensor<2x4xf32>) outs(%h : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x12xf32>
  func.return %r : tensor<4x12xf32>
}

// -----

// An argument is put beside what is computed: a group does that, of a layer.

// CHECK-LABEL: func.func @beside_an_argument
// CHECK:       tensor.concat dim(1) %a, %b {memplan.layer = 0 : i64}
func.func @beside_an_argument(%x: tensor<4x8xf32>, %v: tensor<8x8xf32>, %b: tensor<4x4xf32>) -> tensor<4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x12xf32>
  func.return %r : tensor<4x12xf32>
}
