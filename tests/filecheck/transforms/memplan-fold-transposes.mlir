// RUN: xdsl-opt %s --split-input-file -p memplan-fold-transposes | filecheck %s

// The weights are read where they are: (n, k) instead of (k, n).

// CHECK-LABEL: func.func @weights
// CHECK-NOT:   linalg.transpose
// CHECK:       linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%x, %w : tensor<3x4xf32>, tensor<5x4xf32>)
func.func @weights(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x4xf32>) outs(%e : tensor<4x5xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<3x4xf32>, tensor<4x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %y : tensor<3x5xf32>
}

// -----

// Through a reshape that drops a dimension of size 1, and with the batch kept in front.

// CHECK-LABEL: func.func @scores
// CHECK-NOT:   linalg.transpose
// CHECK:       %[[K:.*]] = tensor.collapse_shape %k {{.*}} : tensor<1x2x7x4xf32> into tensor<2x7x4xf32>
// CHECK:       linalg.batch_matmul indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] ins(%q, %[[K]] :
func.func @scores(%q: tensor<2x7x4xf32>, %k: tensor<1x2x7x4xf32>, %z: tensor<2x7x7xf32>) -> tensor<2x7x7xf32> {
  %e = tensor.empty() : tensor<1x2x4x7xf32>
  %t = linalg.transpose ins(%k : tensor<1x2x7x4xf32>) outs(%e : tensor<1x2x4x7xf32>) permutation = [0, 1, 3, 2]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<1x2x4x7xf32> into tensor<2x4x7xf32>
  %y = linalg.batch_matmul ins(%q, %c : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%z : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  func.return %y : tensor<2x7x7xf32>
}

// -----

// The batch of a batch_matmul must stay in front: this transpose stays.

// CHECK-LABEL: func.func @moves_the_batch
// CHECK:       linalg.transpose
// CHECK:       linalg.batch_matmul ins(%q, %{{.*}} :
func.func @moves_the_batch(%q: tensor<2x7x4xf32>, %k: tensor<4x2x7xf32>, %z: tensor<2x7x7xf32>) -> tensor<2x7x7xf32> {
  %e = tensor.empty() : tensor<2x4x7xf32>
  %t = linalg.transpose ins(%k : tensor<4x2x7xf32>) outs(%e : tensor<2x4x7xf32>) permutation = [1, 0, 2]
  %y = linalg.batch_matmul ins(%q, %t : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%z : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  func.return %y : tensor<2x7x7xf32>
}

// -----

// A transpose that only moves a dimension of size 1 is a reshape.

// CHECK-LABEL: func.func @unit
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape %x {{.*}} : tensor<1x3x4xf32> into tensor<3x4xf32>
// CHECK:       %[[Y:.*]] = tensor.expand_shape %[[FLAT]] {{.*}} : tensor<3x4xf32> into tensor<3x1x4xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @unit(%x: tensor<1x3x4xf32>) -> tensor<3x1x4xf32> {
  %e = tensor.empty() : tensor<3x1x4xf32>
  %t = linalg.transpose ins(%x : tensor<1x3x4xf32>) outs(%e : tensor<3x1x4xf32>) permutation = [1, 0, 2]
  func.return %t : tensor<3x1x4xf32>
}

// -----

// What is made here and read by others too would have to live longer: it is left alone.

// CHECK-LABEL: func.func @other_readers
// CHECK:       linalg.transpose
func.func @other_readers(%a: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%a, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A generic reads through any permutation.

#id = affine_map<(i, j, k) -> (i, j, k)>
// CHECK-LABEL: func.func @generic
// CHECK-NOT:   linalg.transpose
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @generic(%a: tensor<4x2x3xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x2x3xf32>) outs(%e : tensor<2x3x4xf32>) permutation = [1, 2, 0]
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x4xf32>
  func.return %y : tensor<2x3x4xf32>
}

// -----

// Queries and keys: slices of the product, no copy of all of it. A memref shows them, dimensions of size 1 and all.

// CHECK-LABEL: func.func @queries_and_keys
// CHECK-NOT:   linalg.transpose
// CHECK:       %[[Q:.*]] = tensor.extract_slice %[[E:.*]][0, 0, 0, 0] [1, 5, 1, 4] [1, 1, 1, 1] : tensor<1x5x2x4xf32> to tensor<1x5x4xf32>
// CHECK:       %[[K:.*]] = tensor.extract_slice %[[E]][0, 0, 1, 1] [1, 5, 1, 2] [1, 1, 1, 2] : tensor<1x5x2x4xf32> to tensor<1x5x2xf32>
// CHECK:       func.return %[[Q]], %[[K]]
func.func @queries_and_keys(%x: tensor<1x5x2x4xf32>) -> (tensor<1x5x4xf32>, tensor<1x5x2xf32>) {
  %e = tensor.empty() : tensor<1x5x2x4xf32>
  %p = linalg.exp ins(%x : tensor<1x5x2x4xf32>) outs(%e : tensor<1x5x2x4xf32>) -> tensor<1x5x2x4xf32>
  %d = tensor.empty() : tensor<2x5x1x4xf32>
  %t = linalg.transpose ins(%p : tensor<1x5x2x4xf32>) outs(%d : tensor<2x5x1x4xf32>) permutation = [2, 1, 0, 3]
  %c = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<2x5x1x4xf32> into tensor<2x5x4xf32>
  %q = tensor.extract_slice %c[0, 0, 0] [1, 5, 4] [1, 1, 1] : tensor<2x5x4xf32> to tensor<1x5x4xf32>
  %k = tensor.extract_slice %t[1, 0, 0, 1] [1, 5, 1, 2] [1, 1, 1, 2] : tensor<2x5x1x4xf32> to tensor<1x5x2xf32>
  func.return %q, %k : tensor<1x5x4xf32>, tensor<1x5x2xf32>
}

// -----

// Columns of rows that were columns are no view.

// CHECK-LABEL: func.func @turned
// CHECK:       linalg.transpose
func.func @turned(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  %s = tensor.extract_slice %t[1, 0] [2, 3] [1, 1] : tensor<6x4xf32> to tensor<2x3xf32>
  func.return %s : tensor<2x3xf32>
}

// -----

// Filters with features first are read as they are; one in another order is transposed.

// CHECK: @filters
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>)
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-SAME: ins(%q, %v, %z, %z : tensor<1x8x8x4xi8>, tensor<6x1x1x4xi8>, i32, i32)
// CHECK: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf {
func.func @filters(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x3x4xf32>, %q: tensor<1x8x8x4xi8>, %v: tensor<6x1x1x4xi8>, %o: tensor<1x6x6x6xf32>, %p: tensor<1x8x8x6xi32>, %u: tensor<4x3x3x6xf32>, %z: i32) -> (tensor<1x6x6x6xf32>, tensor<1x8x8x6xi32>, tensor<1x6x6x6xf32>) {
  %e = tensor.empty() : tensor<3x3x4x6xf32>
  %t = linalg.transpose ins(%w : tensor<6x3x3x4xf32>) outs(%e : tensor<3x3x4x6xf32>) permutation = [1, 2, 3, 0]
  %a = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %t : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  %f = tensor.empty() : tensor<1x1x4x6xi8>
  %s = linalg.transpose ins(%v : tensor<6x1x1x4xi8>) outs(%f : tensor<1x1x4x6xi8>) permutation = [1, 2, 3, 0]
  %b = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%q, %s, %z, %z : tensor<1x8x8x4xi8>, tensor<1x1x4x6xi8>, i32, i32) outs(%p : tensor<1x8x8x6xi32>) -> tensor<1x8x8x6xi32>
  %r = linalg.transpose ins(%u : tensor<4x3x3x6xf32>) outs(%e : tensor<3x3x4x6xf32>) permutation = [1, 2, 0, 3]
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %r : tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  return %a, %b, %c : tensor<1x6x6x6xf32>, tensor<1x8x8x6xi32>, tensor<1x6x6x6xf32>
}

// -----

// What is the same for each image is read where it is, transposed or not, and the repetitions are gone.

// CHECK-LABEL: func.func @repeated
// CHECK-NOT:   linalg.broadcast
// CHECK-NOT:   linalg.transpose
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
// CHECK-SAME:  ins(%x, %w : tensor<2x3x4xf32>, tensor<5x4xf32>) outs(%z : tensor<2x3x5xf32>)
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
// CHECK-SAME:  ins(%y, %v : tensor<2x3x5xf32>, tensor<5x4xf32>) outs(%u : tensor<2x3x4xf32>)
// CHECK-NOT:   linalg.generic
func.func @repeated(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %v: tensor<5x4xf32>, %z: tensor<2x3x5xf32>, %u: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %d = tensor.empty() : tensor<4x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x4xf32>) outs(%d : tensor<4x5xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<2x4x5xf32>
  %b = linalg.broadcast ins(%t : tensor<4x5xf32>) outs(%e : tensor<2x4x5xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%z : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %f = tensor.empty() : tensor<2x5x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : tensor<5x4xf32>) outs(%f : tensor<2x5x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x5x4xf32>
  %r = linalg.batch_matmul ins(%y, %c : tensor<2x3x5xf32>, tensor<2x5x4xf32>) outs(%u : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return %r : tensor<2x3x4xf32>
}

// -----

// Nothing else says how long the loop of repetitions is.

// CHECK-LABEL: func.func @sum_of_repetitions
// CHECK:       linalg.broadcast
// CHECK:       linalg.generic
func.func @sum_of_repetitions(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<2x4xf32>) dimensions = [0]
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%b : tensor<2x4xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// -----

// A batch of one image is a view of the weights, and the product keeps its name.

// CHECK-LABEL: func.func @batch_of_one
// CHECK-NOT:   linalg.broadcast
// CHECK:       linalg.batch_matmul indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
func.func @batch_of_one(%x: tensor<1x3x4xf32>, %w: tensor<5x4xf32>, %z: tensor<1x3x5xf32>) -> tensor<1x3x5xf32> {
  %d = tensor.empty() : tensor<4x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x4xf32>) outs(%d : tensor<4x5xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<1x4x5xf32>
  %b = linalg.broadcast ins(%t : tensor<4x5xf32>) outs(%e : tensor<1x4x5xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %b : tensor<1x3x4xf32>, tensor<1x4x5xf32>) outs(%z : tensor<1x3x5xf32>) -> tensor<1x3x5xf32>
  func.return %y : tensor<1x3x5xf32>
}
