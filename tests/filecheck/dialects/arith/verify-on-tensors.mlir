// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | filecheck %s

// CHECK: arith.extsi of tensor<4xi32> to tensor<5xi64>: both must have one shape
func.func @shapes(%n: tensor<4xi32>) {
  %0 = arith.extsi %n : tensor<4xi32> to tensor<5xi64>
  return
}

// -----

// CHECK: arith.extsi of i32 to i8: the result must be wider
func.func @wider(%n: tensor<4xi32>) {
  %0 = arith.extsi %n : tensor<4xi32> to tensor<4xi8>
  return
}

// -----

// CHECK: arith.trunci of i32 to i32: the result must be narrower
func.func @narrower(%n: i32) {
  %0 = arith.trunci %n : i32 to i32
  return
}

// -----

// CHECK: arith.index_castui of i32 to i64: one of both must be an index
func.func @index(%n: i32) {
  %0 = arith.index_castui %n : i32 to i64
  return
}

// -----

// CHECK: arith.select by tensor<5xi1> of tensor<4xf32>: both must have one shape
func.func @select(%p: tensor<5xi1>, %x: tensor<4xf32>) {
  %0 = arith.select %p, %x, %x : tensor<5xi1>, tensor<4xf32>
  return
}
