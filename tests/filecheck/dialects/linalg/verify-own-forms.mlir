// RUN: xdsl-opt %s --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

// CHECK: linalg.map: input 0 of type tensor<4x5xf32> has not the shape of tensor<4x6xf32>
func.func @shape(%a: tensor<4x5xf32>, %o: tensor<4x6xf32>) {
  %0 = linalg.map { math.exp } ins(%a : tensor<4x5xf32>) outs(%o : tensor<4x6xf32>)
  func.return
}

// -----

// CHECK: linalg.map: its body takes one element of every input and of the output: f32, f32
func.func @body_without_the_output(%a: tensor<4xf32>) {
  %0 = linalg.map ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) (%x: f32) {
    linalg.yield %x : f32
  }
  func.return
}

// -----

// CHECK: linalg.map: its body must yield f32
func.func @yield(%a: tensor<4xi32>, %o: tensor<4xf32>) {
  %0 = linalg.map ins(%a : tensor<4xi32>) outs(%o : tensor<4xf32>) (%x: i32, %out: f32) {
    linalg.yield %x : i32
  }
  func.return
}

// -----

// CHECK: linalg.elementwise: exp takes 1 inputs and one output
func.func @inputs(%a: tensor<4xf32>) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: linalg.elementwise: exp of these inputs is no f32; nothing is cast
func.func @no_casts(%a: tensor<4xf16>, %o: tensor<4xf32>) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%a : tensor<4xf16>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// The place is that of the operands, not where the next operation begins.

// CHECK:      %0 = linalg.elementwise kind=#linalg.elementwise_kind<max_unsigned> ins(%a, %a
// CHECK-NEXT: ^
// CHECK-NEXT: linalg.elementwise does not take these operands: no max_unsigned of f32
func.func @unsigned(%a: tensor<4xf32>) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<max_unsigned> ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: linalg.softmax: there is no dimension 2 of 2
func.func @dimension(%a: tensor<4x6xf32>) {
  %0 = linalg.softmax dimension(2) ins(%a : tensor<4x6xf32>) outs(%a : tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return
}

// -----

// CHECK: linalg.softmax of i32: it takes floats
func.func @floats(%a: tensor<4x6xi32>) {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x6xi32>) outs(%a : tensor<4x6xi32>) -> tensor<4x6xi32>
  func.return
}

// -----

// CHECK: what is left of (2, 3) without [0] is (3,), not (2,)
func.func @reduced(%x: tensor<2x3xf32>, %out: tensor<2xf32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<2x3xf32>) outs(%out : tensor<2xf32>) dimensions = [0]
  func.return
}

// -----

// CHECK: dimensions must be different ones from 0 to 1, not [2]
func.func @reduced(%x: tensor<2x3xf32>, %out: tensor<2x3xf32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<2x3xf32>) outs(%out : tensor<2x3xf32>) dimensions = [2]
  func.return
}

// -----

// CHECK: the body takes f16 and f32
func.func @reduced(%x: tensor<2x3xf16>, %out: tensor<3xf32>) {
  %0 = linalg.reduce ins(%x : tensor<2x3xf16>) outs(%out : tensor<3xf32>) dimensions = [0] (%a: f32, %b: f32) {
    linalg.yield %b : f32
  }
  func.return
}
