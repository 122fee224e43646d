// RUN: xdsl-opt %s --split-input-file -p memplan-compute-slices | filecheck %s

// The halves of a gate: a product and a sum for each, with their parts of the weight and of the bias.

// CHECK-LABEL: func.func @gate
// CHECK:       %[[U:.*]] = tensor.extract_slice %w[0, 0] [8, 16] [1, 1] : tensor<8x32xf32> to tensor<8x16xf32>
// CHECK:       %[[P:.*]] = linalg.matmul ins(%x, %[[U]] : tensor<64x8xf32>, tensor<8x16xf32>)
// CHECK:       %[[V:.*]] = tensor.extract_slice %w[0, 16] [8, 16] [1, 1] : tensor<8x32xf32> to tensor<8x16xf32>
// CHECK:       %[[Q:.*]] = linalg.matmul ins(%x, %[[V]] : tensor<64x8xf32>, tensor<8x16xf32>)
// CHECK:       %[[B:.*]] = tensor.extract_slice %b[0] [16] [1] : tensor<32xf32> to tensor<16xf32>
// CHECK:       %a = linalg.generic {{.*}} ins(%[[P]], %[[B]] : tensor<64x16xf32>, tensor<16xf32>)
// CHECK:       %[[C:.*]] = tensor.extract_slice %b[16] [16] [1] : tensor<32xf32> to tensor<16xf32>
// CHECK:       %g = linalg.generic {{.*}} ins(%[[Q]], %[[C]] : tensor<64x16xf32>, tensor<16xf32>)
// CHECK:       linalg.mul ins(%a, %g :
func.func @gate(%x: tensor<64x8xf32>, %w: tensor<8x32xf32>, %b: tensor<32xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<64x32xf32>, tensor<32xf32>) outs(%o : tensor<64x32xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  %a = tensor.extract_slice %q[0, 0] [64, 16] [1, 1] : tensor<64x32xf32> to tensor<64x16xf32>
  %g = tensor.extract_slice %q[0, 16] [64, 16] [1, 1] : tensor<64x32xf32> to tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x16xf32>
  %y = linalg.mul ins(%a, %g : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  func.return %y : tensor<64x16xf32>
}

// -----

// Queries, keys and values of one product, which has them in a dimension of its own before they are sliced. A half of the
// rows is still a slice of what is made.

// CHECK-LABEL: func.func @queries_keys
// CHECK-COUNT-3: linalg.matmul {{.*}} -> tensor<16x8xf32>
// CHECK:         tensor.extract_slice {{.*}} : tensor<16x1x8xf32> to tensor<8x8xf32>
// CHECK-NOT:     linalg.matmul
func.func @queries_keys(%x: tensor<16x8xf32>, %w: tensor<8x24xf32>, %z: tensor<16x24xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>) {
  %p = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x24xf32>) outs(%z : tensor<16x24xf32>) -> tensor<16x24xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [16, 3, 8] : tensor<16x24xf32> into tensor<16x3x8xf32>
  %q = tensor.extract_slice %h[0, 0, 0] [16, 1, 8] [1, 1, 1] : tensor<16x3x8xf32> to tensor<16x8xf32>
  %k = tensor.extract_slice %h[0, 1, 0] [16, 1, 8] [1, 1, 1] : tensor<16x3x8xf32> to tensor<16x8xf32>
  %v = tensor.extract_slice %h[8, 2, 0] [8, 1, 8] [1, 1, 1] : tensor<16x3x8xf32> to tensor<8x8xf32>
  func.return %q, %k, %v : tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>
}

// -----

// Left alone: slices of rows, which every weight is multiplied with; features that two slices have; what is read whole, too.

// CHECK-LABEL: func.func @rows
// CHECK:       linalg.matmul {{.*}} -> tensor<16x8xf32>
// CHECK-NOT:   linalg.matmul
func.func @rows(%y: tensor<16x4xf32>, %m: tensor<4x8xf32>, %w: tensor<8x8xf32>, %z: tensor<16x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %x = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %m : tensor<16x4xf32>, tensor<4x8xf32>) outs(%z : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    %s = arith.addf %out, %t : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x8xf32>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
  %f = tensor.extract_slice %p[0, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  %l = tensor.extract_slice %p[8, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  func.return %f, %l : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @overlapping
// CHECK:       linalg.matmul {{.*}} -> tensor<16x24xf32>
// CHECK-NOT:   linalg.matmul
func.func @overlapping(%x: tensor<16x8xf32>, %w: tensor<8x24xf32>, %z: tensor<16x24xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %p = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x24xf32>) outs(%z : tensor<16x24xf32>) -> tensor<16x24xf32>
  %q = tensor.extract_slice %p[0, 0] [16, 16] [1, 1] : tensor<16x24xf32> to tensor<16x16xf32>
  %k = tensor.extract_slice %p[0, 8] [16, 16] [1, 1] : tensor<16x24xf32> to tensor<16x16xf32>
  func.return %q, %k : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @read_whole
// CHECK:       linalg.matmul {{.*}} -> tensor<16x16xf32>
// CHECK-NOT:   linalg.matmul
func.func @read_whole(%x: tensor<16x8xf32>, %w: tensor<8x16xf32>, %z: tensor<16x16xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>) {
  %p = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %q = tensor.extract_slice %p[0, 0] [16, 8] [1, 1] : tensor<16x16xf32> to tensor<16x8xf32>
  %k = tensor.extract_slice %p[0, 8] [16, 8] [1, 1] : tensor<16x16xf32> to tensor<16x8xf32>
  func.return %q, %k, %p : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>
}
