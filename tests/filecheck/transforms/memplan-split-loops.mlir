// RUN: xdsl-opt %s --split-input-file -p memplan-split-loops | filecheck %s

// Upsampling by the nearest neighbour, and what is added to it: one loop more for each that is divided. The sum is shown
// in the shape that it had.

// CHECK-LABEL: func.func @upsample
// CHECK:       %[[Y:.*]] = tensor.expand_shape %y {{.*}} output_shape [8, 2, 5] : tensor<16x5xf32> into tensor<8x2x5xf32>
// CHECK:       %[[O:.*]] = tensor.empty() : tensor<8x2x5xf32>
// CHECK:       %[[U:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %[[Y]] : tensor<8x5xf32>, tensor<8x2x5xf32>) outs(%[[O]] : tensor<8x2x5xf32>)
// CHECK:       %u = tensor.collapse_shape %[[U]] {{.*}} : tensor<8x2x5xf32> into tensor<16x5xf32>
func.func @upsample(%x: tensor<8x5xf32>, %y: tensor<16x5xf32>) -> tensor<16x5xf32> {
  %o = tensor.empty() : tensor<16x5xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<8x5xf32>, tensor<16x5xf32>) outs(%o : tensor<16x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x5xf32>
  func.return %u : tensor<16x5xf32>
}

// -----

// Channels become space; the position in a loop that is split is made of those in its parts.

// CHECK-LABEL: func.func @depth_to_space
// CHECK:       indexing_maps = [affine_map<(d0, d1, d2) -> (((d0 * 2) + d2), d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK:       %[[K:.*]] = linalg.index 1 : index
// CHECK-NEXT:  %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:  %[[P:.*]] = arith.muli %[[K]], %[[TWO]] : index
// CHECK-NEXT:  %[[L:.*]] = linalg.index 2 : index
// CHECK-NEXT:  arith.addi %[[P]], %[[L]] : index
func.func @depth_to_space(%x: tensor<6x4xindex>) -> tensor<3x8xindex> {
  %o = tensor.empty() : tensor<3x8xindex>
  %u = linalg.generic {indexing_maps = [affine_map<(c, w) -> (c * 2 + w mod 2, w floordiv 2)>, affine_map<(c, w) -> (c, w)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x4xindex>) outs(%o : tensor<3x8xindex>) {
  ^bb0(%a: index, %out: index):
    %i = linalg.index 1 : index
    %s = arith.addi %a, %i : index
    linalg.yield %s : index
  } -> tensor<3x8xindex>
  func.return %u : tensor<3x8xindex>
}

// -----

// Two numbers of which one divides the other: three loops. A sum is split as well, and what it starts with is made anew.

// CHECK-LABEL: func.func @twice
// CHECK:       %[[F:.*]] = linalg.fill {{.*}} -> tensor<2x2x2xf32>
// CHECK:       indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (((d0 * 2) + d1), d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:       tensor.collapse_shape {{.*}} : tensor<2x2x2xf32> into tensor<8xf32>
func.func @twice(%x: tensor<4x6xf32>, %y: tensor<2x3xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i floordiv 2, k)>, affine_map<(i, k) -> (i floordiv 4, k floordiv 2)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<4x6xf32>, tensor<2x3xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %u : tensor<8xf32>
}

// -----

// Left alone: the number does not divide the loop, the loop counts backwards over an edge, a library call, a dynamic size.

// CHECK-LABEL:   func.func @stays
// CHECK-NOT:     _shape
// CHECK-COUNT-4: floordiv
func.func @stays(%x: tensor<4xf32>, %d: tensor<?xf32>, %e: tensor<?xf32>) -> (tensor<7xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>) {
  %o = tensor.empty() : tensor<7xf32>
  %p = tensor.empty() : tensor<8xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%o : tensor<7xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> ((i + 1) floordiv 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%p : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], library_call = "f"} ins(%x : tensor<4xf32>) outs(%p : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%d : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  func.return %u, %v, %w, %z : tensor<7xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>
}
