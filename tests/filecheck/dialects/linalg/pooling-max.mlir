// RUN: xdsl-opt %s --print-op-generic | filecheck %s

// The body takes the maximum of element and output; stock xDSL takes that of element and window.

func.func @pooling_max(%x: tensor<1x3x8x8xf32>, %w: tensor<2x2xf32>, %out: tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32> {
  // CHECK: "linalg.pooling_nchw_max"
  // CHECK-NEXT: ^{{.*}}(%[[ELEMENT:.*]]: f32, %[[WINDOW:.*]]: f32, %[[OUT:.*]]: f32):
  // CHECK-NEXT: "arith.maximumf"(%[[OUT]], %[[ELEMENT]])
  %0 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%out : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  func.return %0 : tensor<1x3x7x7xf32>
}
