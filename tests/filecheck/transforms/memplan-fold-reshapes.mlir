// RUN: xdsl-opt %s --split-input-file -p memplan-fold-reshapes | filecheck %s

// A linear layer on a batch: the bias and what follows are computed on the rows of the product, until the next product.

// CHECK-LABEL: func.func @linear
// CHECK-NOT:   _shape
// CHECK:       %p = linalg.matmul
// CHECK-NEXT:  %{{.*}} = tensor.empty() : tensor<6x5xf32>
// CHECK-NEXT:  %[[B:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<6x5xf32>, tensor<5xf32>)
// CHECK-NOT:   _shape
// CHECK:       linalg.matmul ins(%[[B]], %v :
func.func @linear(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>, %bias: tensor<5xf32>, %v: tensor<5x3xf32>, %z: tensor<6x5xf32>, %y: tensor<6x3xf32>) -> tensor<6x3xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<6x4xf32>, tensor<4x5xf32>) outs(%z : tensor<6x5xf32>) -> tensor<6x5xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %o = tensor.empty() : tensor<2x3x5xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %bias : tensor<2x3x5xf32>, tensor<5xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<2x3x5xf32>
  %c = tensor.collapse_shape %b [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %q = linalg.matmul ins(%c, %v : tensor<6x5xf32>, tensor<5x3xf32>) outs(%y : tensor<6x3xf32>) -> tensor<6x3xf32>
  func.return %q : tensor<6x3xf32>
}

// -----

// Another operand is read through a view; the result keeps its shape for others. The sum over the last dimension is
// computed in the same order.

// CHECK-LABEL: func.func @residual
// CHECK:       %[[X:.*]] = tensor.collapse_shape %x {{.*}} : tensor<2x3x5xf32> into tensor<6x5xf32>
// CHECK:       %[[Z:.*]] = linalg.fill {{.*}} -> tensor<6xf32>
// CHECK-NEXT:  %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p, %[[X]] : tensor<6x5xf32>, tensor<6x5xf32>) outs(%[[Z]] : tensor<6xf32>)
// CHECK:       %[[E:.*]] = tensor.expand_shape %[[S]] {{.*}} output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
// CHECK-NEXT:  func.return %[[E]]
func.func @residual(%p: tensor<6x5xf32>, %x: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %o = tensor.empty() : tensor<2x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e, %x : tensor<2x3x5xf32>, tensor<2x3x5xf32>) outs(%z : tensor<2x3xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %m = arith.mulf %in, %in_0 : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  func.return %b : tensor<2x3xf32>
}

// -----

// The position in a loop that stays is asked for by its new number; several results are shown in their old shapes.

// CHECK-LABEL: func.func @largest
// CHECK:       %{{.*}}, %{{.*}} = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>]
// CHECK:       linalg.index 1 : index
// CHECK:       tensor.expand_shape {{.*}} into tensor<2x3xf32>
// CHECK-NEXT:  tensor.expand_shape {{.*}} into tensor<2x3xi64>
func.func @largest(%p: tensor<6x5xf32>, %v: tensor<2x3xf32>, %i: tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %b, %c = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x3x5xf32>) outs(%v, %i : tensor<2x3xf32>, tensor<2x3xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %n = linalg.index 2 : index
    %k = arith.index_cast %n : index to i64
    %m = arith.maximumf %in, %out : f32
    %g = arith.cmpf ogt, %in, %out : f32
    %s = arith.select %g, %k, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<2x3xf32>, tensor<2x3xi64>)
  func.return %b, %c : tensor<2x3xf32>, tensor<2x3xi64>
}

// -----

// Not where an operand has one of the dimensions alone, where they are turned, where the position in one of them is
// asked for, or where they are summed.

// CHECK-LABEL:   func.func @stays
// CHECK-COUNT-3: ins(%e, {{.*}} : tensor<2x3x5xf32>
// CHECK:         ins(%e : tensor<2x3x5xf32>) outs(%s : tensor<2x5xf32>)
func.func @stays(%p: tensor<6x5xf32>, %one: tensor<3xf32>, %t: tensor<3x2x5xf32>, %a: tensor<2x3x5xf32>, %s: tensor<2x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x5xf32>) {
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %o = tensor.empty() : tensor<2x3x5xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %one : tensor<2x3x5xf32>, tensor<3xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %m = arith.addf %in, %in_0 : f32
    linalg.yield %m : f32
  } -> tensor<2x3x5xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x5xf32>, tensor<3x2x5xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %m = arith.addf %in, %in_0 : f32
    linalg.yield %m : f32
  } -> tensor<2x3x5xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %a : tensor<2x3x5xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %n = linalg.index 1 : index
    %k = arith.index_cast %n : index to i32
    %f = arith.sitofp %k : i32 to f32
    %m = arith.addf %in, %f : f32
    linalg.yield %m : f32
  } -> tensor<2x3x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%e : tensor<2x3x5xf32>) outs(%s : tensor<2x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<2x5xf32>
  func.return %b, %c, %d, %r : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x5xf32>
}

// -----

// A reshape that only adds dimensions of size 1 has nothing to merge.

// CHECK-LABEL: func.func @units
// CHECK:       tensor.expand_shape
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x5xf32>)
func.func @units(%p: tensor<6x5xf32>) -> tensor<1x6x5xf32> {
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [1, 6, 5] : tensor<6x5xf32> into tensor<1x6x5xf32>
  %o = tensor.empty() : tensor<1x6x5xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e : tensor<1x6x5xf32>) outs(%o : tensor<1x6x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x6x5xf32>
  func.return %b : tensor<1x6x5xf32>
}

// -----

// Whoever calls a library function expects the shapes that it was given.

// CHECK-LABEL: func.func @library
// CHECK:       tensor.expand_shape
// CHECK:       library_call = "f"
func.func @library(%p: tensor<6x5xf32>) -> tensor<2x3x5xf32> {
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %o = tensor.empty() : tensor<2x3x5xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"], library_call = "f"} ins(%e : tensor<2x3x5xf32>) outs(%o : tensor<2x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %in : f32
    linalg.yield %m : f32
  } -> tensor<2x3x5xf32>
  func.return %b : tensor<2x3x5xf32>
}
