// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Operations of MLIR 22 that stock xDSL lacks.

// CHECK-LABEL: @added
// CHECK-NEXT: math.isfinite %x : f32
// CHECK-NEXT: math.isinf %x : f32
// CHECK-NEXT: math.isnan %x {fastmath = #arith.fastmath<ninf>} : f32
// CHECK-NEXT: math.isnormal %x : f32
// CHECK-NEXT: math.erfc %x : f32
// CHECK-NEXT: math.sincos %x : f32
// CHECK-NEXT: math.clampf %x to[%y, %z] : f32
func.func @added(%x: f32, %y: f32, %z: f32) -> f32 {
  %0 = math.isfinite %x : f32
  %1 = math.isinf %x : f32
  %2 = math.isnan %x {fastmath = #arith.fastmath<ninf>} : f32
  %3 = math.isnormal %x : f32
  %4 = math.erfc %x : f32
  %5, %6 = math.sincos %x : f32
  %7 = math.clampf %x to [%y, %z] : f32
  func.return %7 : f32
}
