// RUN: xdsl-opt -p memplan-trim --split-input-file %s | filecheck %s

// Of 64 rows one is read: the product of that row.

// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    %[[X:.*]] = tensor.extract_slice %x[63, 0] [1, 8] [1, 1]
// CHECK-NEXT:    %[[Z:.*]] = tensor.extract_slice %z[63, 0] [1, 8] [1, 1]
// CHECK-NEXT:    %[[Y:.*]] = linalg.matmul ins(%[[X]], %w : tensor<1x8xf32>, tensor<8x8xf32>) outs(%[[Z]] : tensor<1x8xf32>)
// CHECK-NEXT:    func.return %[[Y]]
func.func @rows(%x: tensor<64x8xf32>, %w: tensor<8x8xf32>, %z: tensor<64x8xf32>) -> tensor<1x8xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = tensor.extract_slice %p[63, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// -----

// Two convolutions back: the last of 60 columns depends on the last 5 of 64. The fill is made in the smaller shape.

// CHECK-LABEL: func.func @windows
// CHECK-NOT:     x60xf32
// CHECK:         tensor.extract_slice %x[0, 0, 59] [1, 2, 5] [1, 1, 1]
// CHECK:         linalg.conv_1d_ncw_fcw ins(%{{.*}}, %w : tensor<1x2x5xf32>, tensor<2x2x3xf32>) outs(%{{.*}} : tensor<1x2x3xf32>)
// CHECK:         linalg.conv_1d_ncw_fcw ins(%{{.*}}, %w : tensor<1x2x3xf32>, tensor<2x2x3xf32>) outs(%{{.*}} : tensor<1x2x1xf32>)
func.func @windows(%x: tensor<1x2x64xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x2x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x62xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x62xf32>) -> tensor<1x2x62xf32>
  %a = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x2x64xf32>, tensor<2x2x3xf32>) outs(%f : tensor<1x2x62xf32>) -> tensor<1x2x62xf32>
  %g = tensor.empty() : tensor<1x2x60xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x2x60xf32>) -> tensor<1x2x60xf32>
  %b = linalg.conv_1d_ncw_fcw ins(%a, %w : tensor<1x2x62xf32>, tensor<2x2x3xf32>) outs(%h : tensor<1x2x60xf32>) -> tensor<1x2x60xf32>
  %y = tensor.extract_slice %b[0, 0, 59] [1, 2, 1] [1, 1, 1] : tensor<1x2x60xf32> to tensor<1x2x1xf32>
  func.return %y : tensor<1x2x1xf32>
}

// -----

// Two read a row each: what lies between them is computed too, once.

// CHECK-LABEL: func.func @two
// CHECK:         %[[P:.*]] = linalg.exp ins(%{{.*}} : tensor<3x8xf32>)
// CHECK:         tensor.extract_slice %[[P]][0, 0] [1, 8] [1, 1]
// CHECK:         tensor.extract_slice %[[P]][2, 0] [1, 8] [1, 1]
func.func @two(%x: tensor<64x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %e = tensor.empty() : tensor<64x8xf32>
  %p = linalg.exp ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = tensor.extract_slice %p[4, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
  %z = tensor.extract_slice %p[6, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
  func.return %y, %z : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// More than half of it, all of it by another reader, or a body with an assertion: nothing changes.

// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-2: linalg.exp ins(%x : tensor<64x8xf32>)
// CHECK:         linalg.generic {{.*}} ins(%x : tensor<64x8xf32>)
func.func @left_alone(%x: tensor<64x8xf32>, %ok: i1) -> (tensor<40x8xf32>, tensor<1x8xf32>, tensor<64x8xf32>, tensor<1x8xf32>) {
  %e = tensor.empty() : tensor<64x8xf32>
  %p = linalg.exp ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = tensor.extract_slice %p[0, 0] [40, 8] [1, 1] : tensor<64x8xf32> to tensor<40x8xf32>
  %q = linalg.exp ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %z = tensor.extract_slice %q[0, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    cf.assert %ok, "not ok"
    linalg.yield %in : f32
  } -> tensor<64x8xf32>
  %s = tensor.extract_slice %r[0, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
  func.return %y, %z, %q, %s : tensor<40x8xf32>, tensor<1x8xf32>, tensor<64x8xf32>, tensor<1x8xf32>
}

// -----

// What nobody reads is erased, whether slices are taken or not; what has effects stays.

// CHECK-LABEL: func.func @unread
// CHECK-NEXT:    func.call @told
// CHECK-NEXT:    linalg.exp
// CHECK-NEXT:    func.return
func.func private @told(tensor<4xf32>) -> tensor<4xf32>
func.func @unread(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = linalg.sqrt ins(%x : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %c = func.call @told(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
