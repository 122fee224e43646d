// RUN: xdsl-opt %s --split-input-file -p memplan-look-up-once | filecheck %s

// The row of a place is the same for all bags.

// CHECK-LABEL: func.func @bags
// CHECK:       %[[G:.*]] = linalg.generic {{.*}} ins(%places : tensor<32xi64>) outs(%{{.*}} : tensor<32x8xf32>)
// CHECK:         %[[R:.*]] = arith.index_cast
// CHECK-NEXT:    %[[F:.*]] = linalg.index 1 : index
// CHECK-NEXT:    tensor.extract %table[%[[R]], %[[F]]]
// CHECK:       linalg.generic {{.*}} ins(%places, %[[G]] :
// CHECK-NOT:     linalg.index
// CHECK-NOT:     tensor.extract
// CHECK:         arith.addf
func.func @bags(%table: tensor<1000x8xf32>, %places: tensor<32xi64>, %z: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, p, f) -> (p)>, affine_map<(b, p, f) -> (b, f)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%places : tensor<32xi64>) outs(%z : tensor<16x8xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %f = linalg.index 2 : index
    %v = tensor.extract %table[%r, %f] : tensor<1000x8xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}

// -----

// A table of fewer elements is brought in.

// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @small(%table: tensor<16x8xf32>, %places: tensor<32xi64>, %z: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, p, f) -> (p)>, affine_map<(b, p, f) -> (b, f)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%places : tensor<32xi64>) outs(%z : tensor<16x8xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %f = linalg.index 2 : index
    %v = tensor.extract %table[%r, %f] : tensor<16x8xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}

// -----

// What was added up so far decides what is looked up next.

// CHECK-LABEL: func.func @chained
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @chained(%table: tensor<1000xi64>, %places: tensor<32xi64>, %z: tensor<16xi64>) -> tensor<16xi64> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, p) -> (p)>, affine_map<(b, p) -> (b)>], iterator_types = ["parallel", "reduction"]} ins(%places : tensor<32xi64>) outs(%z : tensor<16xi64>) {
  ^bb0(%i: i64, %o: i64):
    %r = arith.index_cast %o : i64 to index
    %v = tensor.extract %table[%r] : tensor<1000xi64>
    linalg.yield %v : i64
  } -> tensor<16xi64>
  func.return %y : tensor<16xi64>
}

// -----

// Each iteration looks up an element of its own.

// CHECK-LABEL: func.func @own
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @own(%table: tensor<1000x8xf32>, %places: tensor<32xi64>, %z: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(p, f) -> (p)>, affine_map<(p, f) -> (p, f)>], iterator_types = ["parallel", "parallel"]} ins(%places : tensor<32xi64>) outs(%z : tensor<32x8xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %f = linalg.index 1 : index
    %v = tensor.extract %table[%r, %f] : tensor<1000x8xf32>
    linalg.yield %v : f32
  } -> tensor<32x8xf32>
  func.return %y : tensor<32x8xf32>
}
