// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=1664:align=16,DDR"}' %s | filecheck %s --check-prefix GROUP
// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=1664:align=16,DDR"},memplan-expand-groups' %s | filecheck %s --check-prefix TILES
// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=4KiB,DDR"}' %s | filecheck %s --check-prefix ROOM

// All sums take 2048 bytes. Of 8 features they take 512; with 640 bytes that are read and the result of 512 that is 1664.
// GROUP: cost = #memplan.group_cost<1152 : i64, 1664 : i64, 4096 : i64, 5 : i64, 1 : i64>, sliced}

// TILES:      memplan.load %w[0, 0, 0, 0] [32, 1, 1, 8] [1, 1, 1, 1]
// TILES:      scf.for
// TILES:      tensor.extract_slice {{.*}} [8] [1] : tensor<32xi32> to tensor<8xi32>
// TILES:      linalg.conv_2d_nhwc_fhwc {{.*}} -> tensor<1x4x4x8xi32>
// TILES:      tensor.insert_slice {{.*}} [1, 4, 4, 8] [1, 1, 1, 1] : tensor<1x4x4x8xi8> into tensor<1x4x4x32xi8>
// TILES:      memplan.store

// Where there is room, sums are whole.
// ROOM:     memplan.group_cost<1152 : i64
// ROOM-NOT: sliced

func.func @main(%x: tensor<1x4x4x8xi8>, %w: tensor<32x1x1x8xi8>, %b: tensor<32xi32>, %s: tensor<32xi32>) -> tensor<1x4x4x32xi8> {
  %five = arith.constant 5 : i32
  %d = tensor.empty() : tensor<1x4x4x32xi32>
  %e = tensor.empty() : tensor<1x4x4x32xi8>
  %start = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%b : tensor<32xi32>) outs(%d : tensor<1x4x4x32xi32>) {
    ^bb0(%p: i32, %o: i32):
      linalg.yield %p : i32
    } -> tensor<1x4x4x32xi32>
  %sums = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x4x4x8xi8>, tensor<32x1x1x8xi8>) outs(%start : tensor<1x4x4x32xi32>) -> tensor<1x4x4x32xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%sums, %s : tensor<1x4x4x32xi32>, tensor<32xi32>) outs(%e : tensor<1x4x4x32xi8>) {
    ^bb0(%p: i32, %q: i32, %o: i8):
      %m = arith.muli %p, %q : i32
      %r = arith.shrsi %m, %five : i32
      %z = arith.trunci %r : i32 to i8
      linalg.yield %z : i8
    } -> tensor<1x4x4x32xi8>
  func.return %y : tensor<1x4x4x32xi8>
}
