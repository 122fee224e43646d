// RUN: xdsl-opt %s --split-input-file -p memplan-unmerge-places | filecheck %s

// Attention in windows, without what is between its products: a window of 4 x 4 places has one number of 42. The products go over
// rows and columns of windows; places of a window stay merged, as the second product adds them up.

// CHECK-LABEL: func.func @windows
// CHECK:       %t = linalg.transpose
// CHECK:       %[[C:.*]] = tensor.collapse_shape %t {{\[\[}}0 : i64], [1 : i64], [2 : i64, 3 : i64], [4 : i64]] : tensor<6x7x4x4x16xf32> into tensor<6x7x16x16xf32>
// CHECK:       %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[C]], %{{.*}} :
// CHECK:       %[[O:.*]] = linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<6x7x16x16xf32>, tensor<6x7x16x16xf32>)
// CHECK:       tensor.expand_shape %[[O]] {{.*}} : tensor<6x7x16x16xf32> into tensor<6x7x4x4x16xf32>
// CHECK-NOT:   tensor<42
func.func @windows(%x: tensor<24x28x16xf32>) -> tensor<24x28x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<42x16x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<42x16x16xf32>) -> tensor<42x16x16xf32>
  %b = tensor.expand_shape %x [[0, 1], [2, 3], [4]] output_shape [6, 4, 7, 4, 16] : tensor<24x28x16xf32> into tensor<6x4x7x4x16xf32>
  %f = tensor.empty() : tensor<6x7x4x4x16xf32>
  %t = linalg.transpose ins(%b : tensor<6x4x7x4x16xf32>) outs(%f : tensor<6x7x4x4x16xf32>) permutation = [0, 2, 1, 3, 4]
  %c = tensor.collapse_shape %t [[0, 1], [2, 3], [4]] : tensor<6x7x4x4x16xf32> into tensor<42x16x16xf32>
  %k = linalg.transpose ins(%c : tensor<42x16x16xf32>) outs(%e : tensor<42x16x16xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%c, %k : tensor<42x16x16xf32>, tensor<42x16x16xf32>) outs(%z : tensor<42x16x16xf32>) -> tensor<42x16x16xf32>
  %r = linalg.batch_matmul ins(%s, %c : tensor<42x16x16xf32>, tensor<42x16x16xf32>) outs(%z : tensor<42x16x16xf32>) -> tensor<42x16x16xf32>
  %u = tensor.expand_shape %r [[0, 1], [2, 3], [4]] output_shape [6, 7, 4, 4, 16] : tensor<42x16x16xf32> into tensor<6x7x4x4x16xf32>
  %g = tensor.empty() : tensor<6x4x7x4x16xf32>
  %v = linalg.transpose ins(%u : tensor<6x7x4x4x16xf32>) outs(%g : tensor<6x4x7x4x16xf32>) permutation = [0, 2, 1, 3, 4]
  %y = tensor.collapse_shape %v [[0, 1], [2, 3], [4]] : tensor<6x4x7x4x16xf32> into tensor<24x28x16xf32>
  func.return %y : tensor<24x28x16xf32>
}

// -----

// The rows of a product are the pixels over which windows of a convolution move. An operand of somebody else's shape is read
// through a view, and the result is shown in the shape that it had.

// CHECK-LABEL: func.func @pixels
// CHECK:       %t = linalg.transpose
// CHECK-NEXT:  %[[X:.*]] = tensor.collapse_shape %t {{.*}} : tensor<1x6x8x3xf32> into tensor<6x8x3xf32>
// CHECK-NEXT:  %[[Z:.*]] = tensor.expand_shape %z {{.*}} : tensor<48x5xf32> into tensor<6x8x5xf32>
// CHECK-NEXT:  %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]], %w : tensor<6x8x3xf32>, tensor<3x5xf32>) outs(%[[Z]] : tensor<6x8x5xf32>)
// CHECK:       %p = tensor.collapse_shape %[[P]] {{.*}} : tensor<6x8x5xf32> into tensor<48x5xf32>
// CHECK-NEXT:  func.return %p
func.func @pixels(%x: tensor<1x3x8x10xf32>, %f: tensor<3x3x3xf32>, %w: tensor<3x5xf32>, %z: tensor<48x5xf32>) -> tensor<48x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x6x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x6x8xf32>) -> tensor<1x3x6x8xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %f : tensor<1x3x8x10xf32>, tensor<3x3x3xf32>) outs(%s : tensor<1x3x6x8xf32>) -> tensor<1x3x6x8xf32>
  %u = tensor.empty() : tensor<1x6x8x3xf32>
  %t = linalg.transpose ins(%c : tensor<1x3x6x8xf32>) outs(%u : tensor<1x6x8x3xf32>) permutation = [0, 2, 3, 1]
  %m = tensor.collapse_shape %t [[0, 1, 2], [3]] : tensor<1x6x8x3xf32> into tensor<48x3xf32>
  %p = linalg.matmul ins(%m, %w : tensor<48x3xf32>, tensor<3x5xf32>) outs(%z : tensor<48x5xf32>) -> tensor<48x5xf32>
  func.return %p : tensor<48x5xf32>
}

// -----

// Slices and concatenations along other dimensions move what is apart.

// CHECK-LABEL: func.func @moved
// CHECK:       %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 0, 1] [6, 8, 2] [1, 1, 1] : tensor<6x8x3xf32> to tensor<6x8x2xf32>
// CHECK:       %[[C:.*]] = tensor.concat dim(2) %{{.*}}, %[[S]] : (tensor<6x8x3xf32>, tensor<6x8x2xf32>) -> tensor<6x8x5xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[C]], %w : tensor<6x8x5xf32>, tensor<5x5xf32>)
func.func @moved(%x: tensor<3x8x10xf32>, %f: tensor<3x3x3xf32>, %w: tensor<5x5xf32>, %z: tensor<48x5xf32>) -> tensor<48x5xf32> {
  %e = tensor.empty() : tensor<6x8x3xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(c, i, j, k, l) -> (c, i + k, j + l)>, affine_map<(c, i, j, k, l) -> (c, k, l)>, affine_map<(c, i, j, k, l) -> (i, j, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %f : tensor<3x8x10xf32>, tensor<3x3x3xf32>) outs(%e : tensor<6x8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x8x3xf32>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<6x8x3xf32> into tensor<48x3xf32>
  %s = tensor.extract_slice %m[0, 1] [48, 2] [1, 1] : tensor<48x3xf32> to tensor<48x2xf32>
  %d = tensor.concat dim(1) %m, %s : (tensor<48x3xf32>, tensor<48x2xf32>) -> tensor<48x5xf32>
  %p = linalg.matmul ins(%d, %w : tensor<48x5xf32>, tensor<5x5xf32>) outs(%z : tensor<48x5xf32>) -> tensor<48x5xf32>
  func.return %p : tensor<48x5xf32>
}

// -----

// Pixels that are added up somewhere stay merged: all tokens attend to all.

// CHECK-LABEL: func.func @summed
// CHECK:       linalg.matmul ins(%{{.*}}, %w : tensor<48x3xf32>, tensor<3x5xf32>)
// CHECK:       linalg.matmul ins(%w2, %{{.*}} : tensor<7x48xf32>, tensor<48x5xf32>)
func.func @summed(%x: tensor<3x8x10xf32>, %f: tensor<3x3x3xf32>, %w: tensor<3x5xf32>, %w2: tensor<7x48xf32>, %z: tensor<48x5xf32>, %y: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<6x8x3xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(c, i, j, k, l) -> (c, i + k, j + l)>, affine_map<(c, i, j, k, l) -> (c, k, l)>, affine_map<(c, i, j, k, l) -> (i, j, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %f : tensor<3x8x10xf32>, tensor<3x3x3xf32>) outs(%e : tensor<6x8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x8x3xf32>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<6x8x3xf32> into tensor<48x3xf32>
  %p = linalg.matmul ins(%m, %w : tensor<48x3xf32>, tensor<3x5xf32>) outs(%z : tensor<48x5xf32>) -> tensor<48x5xf32>
  %q = linalg.matmul ins(%w2, %p : tensor<7x48xf32>, tensor<48x5xf32>) outs(%y : tensor<7x5xf32>) -> tensor<7x5xf32>
  func.return %q : tensor<7x5xf32>
}

// -----

// Heads that are numbered with the sequences of a batch are no places of an image.

// CHECK-LABEL: func.func @heads
// CHECK:       linalg.batch_matmul ins(%{{.*}}, %k : tensor<24x5x4xf32>, tensor<24x4x5xf32>)
func.func @heads(%x: tensor<2x5x48xf32>, %k: tensor<24x4x5xf32>, %z: tensor<24x5x5xf32>) -> tensor<24x5x5xf32> {
  %b = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 5, 12, 4] : tensor<2x5x48xf32> into tensor<2x5x12x4xf32>
  %f = tensor.empty() : tensor<2x12x5x4xf32>
  %t = linalg.transpose ins(%b : tensor<2x5x12x4xf32>) outs(%f : tensor<2x12x5x4xf32>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x12x5x4xf32> into tensor<24x5x4xf32>
  %s = linalg.batch_matmul ins(%c, %k : tensor<24x5x4xf32>, tensor<24x4x5xf32>) outs(%z : tensor<24x5x5xf32>) -> tensor<24x5x5xf32>
  func.return %s : tensor<24x5x5xf32>
}
