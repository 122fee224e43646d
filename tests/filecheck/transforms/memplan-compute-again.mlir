// RUN: xdsl-opt %s --split-input-file -p memplan-compute-again | filecheck %s

// 4096 places of each feature are added up, and each is divided by that: 4096 * 32 * 2 multiply-adds more, while the other product
// has 4096 * 32 * 256.

// CHECK-LABEL: func.func @scaled
// CHECK:       %[[C:.*]] = linalg.matmul ins(%w, %x :
// CHECK:       %[[M:.*]] = linalg.generic {{.*}} ins(%[[C]] :
// CHECK:       %[[D:.*]] = linalg.matmul ins(%w, %x :
// CHECK:       %[[N:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[M]] :
// CHECK:       linalg.matmul ins(%v, %[[N]] :
func.func @scaled(%x: tensor<2x4096xf32>, %w: tensor<32x2xf32>, %v: tensor<256x32xf32>, %o: tensor<32xf32>, %e: tensor<32x4096xf32>, %y: tensor<256x4096xf32>) -> tensor<256x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x4096xf32>) -> tensor<32x4096xf32>
  %c = linalg.matmul ins(%w, %x : tensor<32x2xf32>, tensor<2x4096xf32>) outs(%z : tensor<32x4096xf32>) -> tensor<32x4096xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<32x4096xf32>) outs(%o : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c, %m : tensor<32x4096xf32>, tensor<32xf32>) outs(%e : tensor<32x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<32x4096xf32>
  %r = linalg.matmul ins(%v, %n : tensor<256x32xf32>, tensor<32x4096xf32>) outs(%y : tensor<256x4096xf32>) -> tensor<256x4096xf32>
  func.return %r : tensor<256x4096xf32>
}

// -----

// Where no other product is, the one would be half of all multiply-adds again.

// CHECK-LABEL: func.func @dear
// CHECK:       linalg.matmul
// CHECK-NOT:   linalg.matmul
func.func @dear(%x: tensor<2x4096xf32>, %w: tensor<32x2xf32>, %o: tensor<32xf32>, %e: tensor<32x4096xf32>) -> tensor<32x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x4096xf32>) -> tensor<32x4096xf32>
  %c = linalg.matmul ins(%w, %x : tensor<32x2xf32>, tensor<2x4096xf32>) outs(%z : tensor<32x4096xf32>) -> tensor<32x4096xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<32x4096xf32>) outs(%o : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c, %m : tensor<32x4096xf32>, tensor<32xf32>) outs(%e : tensor<32x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<32x4096xf32>
  func.return %n : tensor<32x4096xf32>
}
