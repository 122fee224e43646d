// RUN: xdsl-opt --verify-diagnostics --split-input-file %s | filecheck %s

// A result may say more than its padding, as in MLIR.

// CHECK: tensor.pad %x low[%n] high[%n] {
func.func @known(%x: tensor<4xf32>, %n: index, %v: f32) -> tensor<8xf32> {
  %p = tensor.pad %x low[%n] high[%n] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %p : tensor<8xf32>
}

// -----

// CHECK: dimension 0 of the result must be 7 long, not 8
func.func @long(%x: tensor<4xf32>, %v: f32) -> tensor<8xf32> {
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %p : tensor<8xf32>
}

// -----

// CHECK: source, result and both paddings must have as many dimensions
func.func @ranks(%x: tensor<4xf32>, %v: f32) -> tensor<8xf32> {
  %p = tensor.pad %x low[1, 1] high[2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %p : tensor<8xf32>
}

// -----

// CHECK: each unknown amount of padding takes one operand
func.func @operands(%x: tensor<4xf32>, %n: index, %v: f32) -> tensor<8xf32> {
  %p = "tensor.pad"(%x, %n, %n) <{static_low = array<i64: 1>, static_high = array<i64: -9223372036854775808>, operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%i: index):
    tensor.yield %v : f32
  }) : (tensor<4xf32>, index, index) -> tensor<8xf32>
  return %p : tensor<8xf32>
}
