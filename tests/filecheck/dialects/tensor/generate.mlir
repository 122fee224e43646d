// RUN: xdsl-opt --verify-diagnostics --split-input-file %s | filecheck %s

// CHECK: %m = tensor.generate %n {
// CHECK-NEXT: ^bb0(%i: index, %j: index):
// CHECK: tensor.yield %s : i32
// CHECK-NEXT: } : tensor<?x4xi32>
func.func @table(%n: index) -> tensor<?x4xi32> {
  %m = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %c = arith.muli %i, %j : index
    %s = arith.index_cast %c : index to i32
    tensor.yield %s : i32
  } : tensor<?x4xi32>
  return %m : tensor<?x4xi32>
}

// -----

// CHECK: each unknown size of the result takes one operand
func.func @sizes(%v: f32) -> tensor<?xf32> {
  %m = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// CHECK: the body takes an index for each dimension of the result
func.func @indices(%v: f32) -> tensor<4x4xf32> {
  %m = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

// CHECK: the body must yield i32
func.func @element(%v: f32) -> tensor<4xi32> {
  %m = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xi32>
  return %m : tensor<4xi32>
}
