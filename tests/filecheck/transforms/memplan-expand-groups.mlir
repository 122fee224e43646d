// RUN: xdsl-opt -p 'memplan-group{objective=traffic memory="L1=1KiB:align=4,DDR"},memplan-expand-groups' %s | filecheck %s

// The first weights come in three slices, one feature each; all else is loaded once: 1072 bytes, no more than must move.
// CHECK:      memplan.traffic = {floor = 1072 : i64, total = 1072 : i64}, memplan.split
// CHECK:      memplan.load %x[0, 0, 0, 0] [1, 2, 8, 8] [1, 1, 1, 1]
// CHECK:      scf.for
// CHECK:      memplan.load %w[{{.*}}, 0, 0, 0] [1, 2, 3, 3] [1, 1, 1, 1]
// CHECK:      linalg.conv_2d_nchw_fchw {memplan.layer = 0 : i64
// CHECK:      tensor.insert_slice
// CHECK:      memplan.load %v[0, 0, 0, 0] [2, 3, 3, 3] [1, 1, 1, 1]
// CHECK:      linalg.conv_2d_nchw_fchw {memplan.layer = 1 : i64
// CHECK:      memplan.store %{{.*}} into %{{.*}}[0, 0, 0, 0] [1, 2, 4, 4] [1, 1, 1, 1] to @DDR

func.func @two_convolutions(%x: tensor<1x2x8x8xf32>, %w: tensor<3x2x3x3xf32>, %v: tensor<2x3x3x3xf32>) -> tensor<1x2x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>, memplan.layer = 0 : i64} ins(%x, %w : tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>) outs(%f : tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
  %g = tensor.empty() : tensor<1x2x4x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>, memplan.layer = 1 : i64} ins(%c, %v : tensor<1x3x6x6xf32>, tensor<2x3x3x3xf32>) outs(%h : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %d : tensor<1x2x4x4xf32>
}
