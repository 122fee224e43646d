// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Operations of MLIR 22 that stock xDSL lacks.

// CHECK-LABEL: @added
// CHECK-NEXT: arith.remf %x, %y : f32
// CHECK-NEXT: arith.remf %x, %y fastmath<fast> : f32
// CHECK-NEXT: arith.index_castui %i : i8 to index
func.func @added(%x: f32, %y: f32, %i: i8) -> index {
  %0 = arith.remf %x, %y : f32
  %1 = arith.remf %x, %y fastmath<fast> : f32
  %2 = arith.index_castui %i : i8 to index
  func.return %2 : index
}
