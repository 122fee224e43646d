// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Softmax as torch-mlir prints it: the maximum and where it is. Stock xDSL reads the types behind
// the arrow as those of a function.
func.func @max_and_argmax(%x: tensor<2x8xf32>, %max: tensor<2xf32>, %where: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xi64>) {
  // CHECK: linalg.generic
  // CHECK: } -> (tensor<2xf32>, tensor<2xi64>)
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x8xf32>) outs(%max, %where : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %in, %out : f32
    %4 = arith.cmpf ogt, %in, %out : f32
    %5 = arith.select %4, %2, %at : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  func.return %0#0, %0#1 : tensor<2xf32>, tensor<2xi64>
}

// -----

// A reduction of several operands, which the class of a reduction has no room for.
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xi64>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi64>) attrs = {{.*}}{note = 1 : i32} {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i64, %{{.*}}: f32, %{{.*}}: i64):
// CHECK: } -> (tensor<8xf32>, tensor<8xi64>)
func.func @reduce(%x: tensor<2x8xf32>, %places: tensor<2x8xi64>, %max: tensor<8xf32>, %where: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>) {
  %0:2 = linalg.reduce ins(%x, %places : tensor<2x8xf32>, tensor<2x8xi64>) outs(%max, %where : tensor<8xf32>, tensor<8xi64>) dimensions = [0] {note = 1 : i32}
    (%in: f32, %place: i64, %out: f32, %at: i64) {
      %1 = arith.maximumf %in, %out : f32
      %2 = arith.cmpf ogt, %in, %out : f32
      %3 = arith.select %2, %place, %at : i64
      linalg.yield %1, %3 : f32, i64
    }
  func.return %0#0, %0#1 : tensor<8xf32>, tensor<8xi64>
}
