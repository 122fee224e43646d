// RUN: xdsl-opt %s -p memplan-constants-to-arguments --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-constants-to-arguments{keep-values=false}' --split-input-file | filecheck %s --check-prefix=NAMES
// RUN: xdsl-opt %s -p 'memplan-constants-to-arguments{least-bytes=9}' --split-input-file | filecheck %s --check-prefix=LARGE

// After what is there, equal ones once, with what has to be passed; fills stay.

// CHECK-LABEL: func.func @main(%x: tensor<2xf32> {test.kept}, %w: tensor<2xf32> {memplan.constant = dense_resource<weights> : tensor<2xf32>}, %b: tensor<2xf32> {memplan.constant = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}) -> tensor<2xf32> {
// CHECK-NEXT:    %c = arith.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    %0 = arith.addf %x, %w : tensor<2xf32>
// CHECK-NEXT:    %1 = arith.addf %0, %b : tensor<2xf32>
// CHECK-NEXT:    %2 = arith.addf %1, %w : tensor<2xf32>
// CHECK:       weights: "0x040000000000803F00000040"

// NAMES-LABEL: func.func @main(%x: tensor<2xf32> {test.kept}, %w: tensor<2xf32> {memplan.constant = "weights"}, %b: tensor<2xf32> {memplan.constant = "constant_1"})
// NAMES-NOT:   dialect_resources

// 8 bytes each: none is large enough.
// LARGE-LABEL: func.func @main(%x: tensor<2xf32> {test.kept}) -> tensor<2xf32> {
// LARGE-NEXT:    arith.constant dense_resource<weights>
func.func @main(%x: tensor<2xf32> {test.kept}) -> tensor<2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w2 = arith.constant dense_resource<weights> : tensor<2xf32>
  %c = arith.constant dense<3.0> : tensor<2xf32>
  %0 = arith.addf %x, %w : tensor<2xf32>
  %1 = arith.addf %0, %b : tensor<2xf32>
  %2 = arith.addf %1, %w2 : tensor<2xf32>
  %3 = arith.addf %2, %c : tensor<2xf32>
  func.return %3 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// What a callee reads is passed down from the entry, through every call; from a region as well.

// CHECK-LABEL: func.func @caller(%x: tensor<2xf32>, %y: tensor<2xf32>, %v: tensor<2xf32> {memplan.constant = dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>}, %w: tensor<2xf32> {memplan.constant = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>})
// CHECK-NEXT:    %0 = func.call @leaf(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %1 = func.call @leaf(%y, %w)
// CHECK-NEXT:    %2 = arith.addf %0, %v
// CHECK:       func.func private @leaf(%x: tensor<2xf32>, %w: tensor<2xf32> {memplan.constant = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>})
// CHECK-NEXT:    %0 = arith.addf %x, %w
func.func @caller(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %v = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %0 = func.call @leaf(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @leaf(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = arith.addf %0, %v : tensor<2xf32>
  %3 = arith.addf %2, %1 : tensor<2xf32>
  func.return %3 : tensor<2xf32>
}
func.func private @leaf(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = arith.addf %x, %w : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
