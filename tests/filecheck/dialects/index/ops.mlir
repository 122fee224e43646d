// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL has no `index` dialect.

// CHECK-LABEL: @numbers
// CHECK-NEXT: index.constant -3
// CHECK-NEXT: index.bool.constant true
// CHECK-NEXT: index.add %{{.*}}, %{{.*}} {note = 1 : i64}
// CHECK-NEXT: index.ceildivs %{{.*}}, %{{.*}}
// CHECK-NEXT: index.shru %{{.*}}, %{{.*}}
// CHECK-NEXT: index.cmp slt(%{{.*}}, %{{.*}})
// CHECK-NEXT: index.cmp uge(%{{.*}}, %{{.*}}) {note = 1 : i64}
// CHECK-NEXT: index.casts %{{.*}} : index to i32
// CHECK-NEXT: index.castu %{{.*}} : i32 to index
func.func @numbers(%x: index, %y: index) -> index {
  %0 = index.constant -3
  %1 = index.bool.constant true
  %2 = index.add %x, %y {note = 1}
  %3 = index.ceildivs %x, %y
  %4 = index.shru %x, %y
  %5 = index.cmp slt(%x, %y)
  %6 = index.cmp uge(%x, %y) {note = 1}
  %7 = index.casts %x : index to i32
  %8 = index.castu %7 : i32 to index
  return %8 : index
}
