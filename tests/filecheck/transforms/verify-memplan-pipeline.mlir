// RUN: xdsl-opt -p memplan-pipeline --split-input-file --verify-diagnostics %s | filecheck %s

// A dynamic batch: the message names the value.

// CHECK: dynamic
// CHECK-SAME: %x
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  func.return %x : tensor<?x4xf32>
}

// -----

// CHECK: '%r = func.call' (operation 1 of @again): recursion between functions cannot be planned
func.func @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
