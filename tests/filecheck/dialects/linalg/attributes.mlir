// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Attributes of every kind of operation survive, where MLIR expects them.

// CHECK-LABEL: @named
func.func @named(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.add {note = 1 : i32} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.add {note = 1 : i32} ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @generic
func.func @generic(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: outs(%{{.*}} : tensor<4xf32>) attrs = {note = 1 : i32} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) attrs = {note = 1 : i32} {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  } -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<2x3xf32>, %out: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // CHECK: linalg.transpose ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0] {note = 1 : i32}
  %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%out : tensor<3x2xf32>) permutation = [1, 0] {note = 1 : i32}
  func.return %0 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<3xf32>, %out: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.broadcast ins(%{{.*}} : tensor<3xf32>) outs(%{{.*}} : tensor<2x3xf32>) dimensions = [0] {note = 1 : i32}
  %0 = linalg.broadcast ins(%x : tensor<3xf32>) outs(%out : tensor<2x3xf32>) dimensions = [0] {note = 1 : i32}
  func.return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<2x3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.reduce ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3xf32>) dimensions = [0] {note = 1 : i32} (%[[IN:.*]]: f32, %[[OUT:.*]]: f32) {
  // CHECK-NEXT: arith.mulf %[[IN]], %[[OUT]] : f32
  %0 = linalg.reduce ins(%x : tensor<2x3xf32>) outs(%out : tensor<3xf32>) dimensions = [0] {note = 1 : i32} (%a: f32, %b: f32) {
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  }
  func.return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @reduce_short
func.func @reduce_short(%x: tensor<2x3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.reduce ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3xf32>) dimensions = [0] (%[[IN:.*]]: f32, %[[OUT:.*]]: f32) {
  // CHECK-NEXT: arith.subf %[[OUT]], %[[IN]] fastmath<fast> : f32
  %0 = linalg.reduce { arith.subf {fastmath = #arith.fastmath<fast>} } ins(%x : tensor<2x3xf32>) outs(%out : tensor<3xf32>) dimensions = [0]
  func.return %0 : tensor<3xf32>
}

// -----

// A sum may be wider than what is added up, as sums of f16 are in what MLIR makes of TOSA.

// CHECK-LABEL: @reduce_wider
func.func @reduce_wider(%x: tensor<2x3xf16>, %out: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.reduce ins(%{{.*}} : tensor<2x3xf16>) outs(%{{.*}} : tensor<3xf32>) dimensions = [0] (%{{.*}}: f16, %{{.*}}: f32) {
  %0 = linalg.reduce ins(%x : tensor<2x3xf16>) outs(%out : tensor<3xf32>) dimensions = [0] (%a: f16, %b: f32) {
    %c = arith.extf %a : f16 to f32
    %d = arith.addf %c, %b : f32
    linalg.yield %d : f32
  }
  func.return %0 : tensor<3xf32>
}
