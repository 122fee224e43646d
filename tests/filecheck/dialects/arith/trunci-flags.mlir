// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Flags of truncations are read, kept and printed, as in MLIR 22.

// CHECK-LABEL: @flags
// CHECK-NEXT: arith.trunci %x overflow<nsw> : i32 to i8
// CHECK-NEXT: arith.trunci %x overflow<nsw,nuw> {note = 1 : i32} : i32 to i8
// CHECK-NEXT: arith.trunci %x : i32 to i8
// CHECK-NEXT: arith.trunci %x : i32 to i8
func.func @flags(%x: i32) {
  %0 = arith.trunci %x overflow<nsw> : i32 to i8
  %1 = arith.trunci %x overflow<nsw, nuw> {note = 1 : i32} : i32 to i8
  %2 = arith.trunci %x : i32 to i8
  %3 = "arith.trunci"(%x) <{overflowFlags = #arith.overflow<none>}> : (i32) -> i8
  func.return
}
