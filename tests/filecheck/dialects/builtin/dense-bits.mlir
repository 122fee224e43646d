// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Of floats that are no finite numbers MLIR writes the bits. Stock xDSL takes them for integers.

// CHECK-LABEL: @floats
// CHECK-NEXT: arith.constant dense<0xff800000> : tensor<f32>
// CHECK-NEXT: arith.constant dense<[0x7fc00000, 1.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: arith.constant dense<0x7c00> : tensor<2xf16>
// CHECK-NEXT: arith.constant dense<0x7f80> : tensor<2xbf16>
// CHECK-NEXT: arith.constant dense<1.500000e+00> : tensor<2xf8E4M3FN>
// CHECK-NEXT: arith.constant dense<(0x7f800000,0xff800000)> : tensor<1xcomplex<f32>>
// CHECK-NEXT: arith.constant dense<255> : tensor<2xi32>
func.func @floats() {
  %0 = arith.constant dense<0xFF800000> : tensor<f32>
  %1 = arith.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %2 = arith.constant dense<0x7C00> : tensor<2xf16>
  %3 = arith.constant dense<0x7F80> : tensor<2xbf16>
  %4 = arith.constant dense<0x3C> : tensor<2xf8E4M3FN>
  %5 = arith.constant dense<(0x7F800000, 0xFF800000)> : tensor<1xcomplex<f32>>
  %6 = arith.constant dense<0xFF> : tensor<2xi32>
  return
}

// -----

// Eight elements of a mask are in a byte, the first in the lowest bit; others in whole bytes.

// CHECK-LABEL: @masks
// CHECK-NEXT: arith.constant dense<[true, false, true, false, false, false, false, false, true, true]> : tensor<10xi1>
// CHECK-NEXT: arith.constant dense<true> : tensor<5xi1>
// CHECK-NEXT: arith.constant dense<[-1, 1, 2, -8]> : tensor<4xi4>
// CHECK-NEXT: arith.constant dense<[-1, 65535]> : tensor<2xi17>
// CHECK-NEXT: arith.constant dense<[true, false, false, false, false, false, false, false, true, true,
func.func @masks() {
  %0 = arith.constant dense<"0x0503"> : tensor<10xi1>
  %1 = arith.constant dense<"0xFF"> : tensor<5xi1>
  %2 = arith.constant dense<"0x0F010208"> : tensor<4xi4>
  %3 = arith.constant dense<"0xFFFF01FFFF00"> : tensor<2xi17>
  %4 = arith.constant dense<"0x01FF00FF00FF00FF00FF00FF00"> : tensor<104xi1>
  return
}
