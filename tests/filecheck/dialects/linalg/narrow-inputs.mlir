// RUN: XDSL_ROUNDTRIP
// RUN: xdsl-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// Inputs narrower than the output are cast in the hidden region, as MLIR does it.

// CHECK: linalg.conv_2d_nchw_fchw
// GENERIC: "arith.extf"(%{{.*}}) : (bf16) -> f32
// GENERIC: "arith.extf"(%{{.*}}) : (bf16) -> f32
// GENERIC: "arith.mulf"
func.func @convolution(%x: tensor<1x3x9x9xbf16>, %w: tensor<4x3x3x3xbf16>, %out: tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x9x9xbf16>, tensor<4x3x3x3xbf16>) outs(%out : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  func.return %0 : tensor<1x4x7x7xf32>
}

// -----

// CHECK: linalg.matmul
// GENERIC: "arith.extsi"(%{{.*}}) : (i8) -> i32
func.func @product(%a: tensor<3x4xi8>, %b: tensor<4x5xi8>, %out: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xi8>, tensor<4x5xi8>) outs(%out : tensor<3x5xi32>) -> tensor<3x5xi32>
  func.return %0 : tensor<3x5xi32>
}
