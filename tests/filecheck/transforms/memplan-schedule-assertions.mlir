// RUN: xdsl-opt %s --split-input-file -p memplan-schedule | filecheck %s

// %a needs %b, so %other comes first; then one tensor of 64 floats is live at a time. The assertion of %big may wait:
// whichever of the two fails ends the program.
//
// CHECK-LABEL: @nothing_but_assertions
// CHECK: %other = linalg.generic
// CHECK: %b = linalg.vecmat ins(%other
// CHECK: %big = linalg.generic
// CHECK: %a = linalg.vecmat ins(%big
#id = affine_map<(i) -> (i)>
func.func @nothing_but_assertions(%x: tensor<64xf32>, %v: tensor<64x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %big = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %is_positive = arith.cmpf ogt, %in, %zero : f32
    cf.assert %is_positive, "not positive"
    %twice = arith.addf %in, %in : f32
    linalg.yield %twice : f32
  } -> tensor<64xf32>
  %other = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %is_positive = arith.cmpf une, %in, %zero : f32
    cf.assert %is_positive, "zero"
    %twice = arith.addf %in, %in : f32
    linalg.yield %twice : f32
  } -> tensor<64xf32>
  %b = linalg.vecmat ins(%other, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.vecmat ins(%big, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

// The same beside a call: what it does is seen before a failure or not at all, so all three keep their order.
//
// CHECK-LABEL: @beside_a_call
// CHECK: %big = linalg.generic
// CHECK: func.call @log
// CHECK: %other = linalg.generic
#id = affine_map<(i) -> (i)>
func.func private @log() -> ()
func.func @beside_a_call(%x: tensor<64xf32>, %v: tensor<64x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %big = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %is_positive = arith.cmpf ogt, %in, %zero : f32
    cf.assert %is_positive, "not positive"
    %twice = arith.addf %in, %in : f32
    linalg.yield %twice : f32
  } -> tensor<64xf32>
  func.call @log() : () -> ()
  %other = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %is_positive = arith.cmpf une, %in, %zero : f32
    cf.assert %is_positive, "zero"
    %twice = arith.addf %in, %in : f32
    linalg.yield %twice : f32
  } -> tensor<64xf32>
  %b = linalg.vecmat ins(%other, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.vecmat ins(%big, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
