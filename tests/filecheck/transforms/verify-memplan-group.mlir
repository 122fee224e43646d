// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=256,DDR"}' --split-input-file --verify-diagnostics %s | filecheck %s

// Windows of one channel, 9 * 9 * 4 bytes for one element of the result.

// CHECK: '%r = linalg.conv_2d_nchw_fchw' {{.*}} does not fit 256 bytes however it is cut
// CHECK-SAME: ; 360 bytes of it are %x, argument 0 of @windows: {{.*}}, of which tiles overlap (halo)
func.func @windows(%x: tensor<1x64x22x22xf32>, %w: tensor<64x64x9x9xf32>) -> tensor<1x64x14x14xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x14x14xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x64x22x22xf32>, tensor<64x64x9x9xf32>) outs(%f : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  func.return %r : tensor<1x64x14x14xf32>
}

// -----

// The largest element of a row: all of its 4096 elements are read at once, 16384 bytes.

// CHECK: '%r = linalg.generic' {{.*}} does not fit 256 bytes however it is cut
// CHECK-SAME: ; 16384 bytes of it are %x, argument 0 of @rows: {{.*}}, which a tile adds up (reduction)
func.func @rows(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x4096xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a : f32, %o : f32):
    %m = arith.maximumf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4x4096xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<4x4096xf32>, tensor<4xf32>) outs(%e1 : tensor<4x4096xf32>) {
  ^bb0(%a : f32, %b : f32, %o : f32):
    %m = arith.subf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x4096xf32>
  func.return %r : tensor<4x4096xf32>
}

// -----

// Any element of a computed table may be looked up: 4096 * 4 bytes.

// CHECK: '%r = linalg.generic' {{.*}} does not fit 256 bytes however it is cut
// CHECK-SAME: ; 16384 bytes of it are %x, argument 0 of @table: {{.*}}, which every tile needs whole
func.func @table(%x: tensor<4096xf32>, %i: tensor<64xi64>) -> tensor<64xf32> {
  %e0 = tensor.empty() : tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf32>) outs(%e0 : tensor<4096xf32>) {
  ^bb0(%a : f32, %o : f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<4096xf32>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<64xi64>) outs(%e : tensor<64xf32>) {
  ^bb0(%a : i64, %o : f32):
    %k = arith.index_cast %a : i64 to index
    %v = tensor.extract %y[%k] : tensor<4096xf32>
    linalg.yield %v : f32
  } -> tensor<64xf32>
  func.return %r : tensor<64xf32>
}

// -----

// Windows of what another layer makes.

// CHECK: '%r = linalg.conv_2d_nchw_fchw' {{.*}} does not fit 256 bytes however it is cut
// CHECK-SAME: ; 360 bytes of it are '%y = linalg.conv_2d_nchw_fchw' {{.*}}, of which tiles overlap (halo)
func.func @made(%x: tensor<1x8x22x22xf32>, %v: tensor<64x8x1x1xf32>, %w: tensor<64x64x9x9xf32>) -> tensor<1x64x14x14xf32> {
  %c = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x64x22x22xf32>
  %f0 = linalg.fill ins(%c : f32) outs(%e0 : tensor<1x64x22x22xf32>) -> tensor<1x64x22x22xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %v : tensor<1x8x22x22xf32>, tensor<64x8x1x1xf32>) outs(%f0 : tensor<1x64x22x22xf32>) -> tensor<1x64x22x22xf32>
  %e = tensor.empty() : tensor<1x64x14x14xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%y, %w : tensor<1x64x22x22xf32>, tensor<64x64x9x9xf32>) outs(%f : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  func.return %r : tensor<1x64x14x14xf32>
}
