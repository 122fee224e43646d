// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL compares whole tensors to one bit, selects them by one bit, and does not cast them.

// CHECK-LABEL: @tensors
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK-NEXT: %[[D:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} fastmath<fast> : tensor<4xf32>
// CHECK-NEXT: arith.andi %[[C]], %[[D]] : tensor<4xi1>
// CHECK-NEXT: arith.select %[[C]], %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} {note = 1 : i64} : tensor<4xf32>
// CHECK-NEXT: arith.extsi %{{.*}} : tensor<4xi32> to tensor<4xi64>
// CHECK-NEXT: arith.extui %{{.*}} : tensor<4xi1> to tensor<4xi64>
// CHECK-NEXT: arith.trunci %{{.*}} : tensor<4xi32> to tensor<4xi8>
// CHECK-NEXT: arith.sitofp %{{.*}} : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: arith.fptoui %{{.*}} : tensor<4xf32> to tensor<4xi8>
// CHECK-NEXT: arith.index_cast %{{.*}} : tensor<4xi32> to tensor<4xindex>
// CHECK-NEXT: arith.index_castui %{{.*}} : tensor<4xi32> to tensor<4xindex>
// CHECK-NEXT: math.isnan %{{.*}} : tensor<4xf32>
func.func @tensors(%x: tensor<4xf32>, %n: tensor<4xi32>, %p: i1) -> tensor<4xi1> {
  %0 = arith.cmpi slt, %n, %n : tensor<4xi32>
  %1 = arith.cmpf oge, %x, %x fastmath<fast> : tensor<4xf32>
  %2 = arith.andi %0, %1 : tensor<4xi1>
  %3 = arith.select %0, %x, %x : tensor<4xi1>, tensor<4xf32>
  %4 = arith.select %p, %x, %x {note = 1} : tensor<4xf32>
  %5 = arith.extsi %n : tensor<4xi32> to tensor<4xi64>
  %6 = arith.extui %0 : tensor<4xi1> to tensor<4xi64>
  %7 = arith.trunci %n : tensor<4xi32> to tensor<4xi8>
  %8 = arith.sitofp %n : tensor<4xi32> to tensor<4xf32>
  %9 = arith.fptoui %x : tensor<4xf32> to tensor<4xi8>
  %10 = arith.index_cast %n : tensor<4xi32> to tensor<4xindex>
  %11 = arith.index_castui %n : tensor<4xi32> to tensor<4xindex>
  %12 = math.isnan %x : tensor<4xf32>
  return %12 : tensor<4xi1>
}

// -----

// CHECK-LABEL: @vectors
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi32>
func.func @vectors(%n: vector<4xi32>) -> vector<4xi32> {
  %0 = arith.cmpi eq, %n, %n : vector<4xi32>
  %1 = arith.select %0, %n, %n : vector<4xi1>, vector<4xi32>
  return %1 : vector<4xi32>
}
