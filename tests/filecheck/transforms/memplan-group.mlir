// RUN: xdsl-opt -p 'memplan-group{objective=peak memory="L1:align=4"}' %s | filecheck %s --check-prefix PEAK
// RUN: xdsl-opt -p 'memplan-group{objective=traffic memory="L1=1KiB:align=4,DDR"}' %s | filecheck %s --check-prefix TRAFFIC

// Least peak: both convolutions compute one row of the result after the other, and keep two rows between.
// Three rows of the tensor between take 216 bytes, the two that are kept 144, and the result 128: 488.
// PEAK:      %d = memplan.group ins(%x, %w, %v :
// PEAK:      cuts = [#memplan.cut<"result", 1 : i64, 2 : i64, 1 : i64, 0 : i64, 1 : i64, 1 : i64, 1 : i64>]
// PEAK-SAME: cost = #memplan.group_cost<0 : i64, 488 : i64, 2808 : i64, 0 : i64, 4 : i64>

// Least traffic: the tensor between stays on chip; each byte is moved once, 512 + 216 in, 216 in and 128 out.
// TRAFFIC:      floor = 1072 : i64
// TRAFFIC:      %c = memplan.group ins(%x, %w :
// TRAFFIC:      homes = [""], cost = #memplan.group_cost<728 : i64,
// TRAFFIC:      %d = memplan.group ins(%c, %v :
// TRAFFIC:      residencies = [#memplan.residency<"resident", 1 : i64>,
// TRAFFIC-SAME: homes = ["DDR"], cost = #memplan.group_cost<344 : i64,

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
