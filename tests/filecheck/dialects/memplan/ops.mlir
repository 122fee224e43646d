// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// CHECK: memplan.arena @bare
memplan.arena @bare

// -----

// CHECK: memplan.arena @full space "L2" capacity 131072 alignment 64 base 4096 size 100352 {note = "x"}
memplan.arena @full space "L2" capacity 131072 alignment 64 base 4096 size 100352 {note = "x"}

// -----

memplan.arena @L2
// CHECK: %{{.*}} = memplan.buffer @L2 size 6272 alignment 64 : memref<1x56x56xf16>
%unplanned = memplan.buffer @L2 size 6272 alignment 64 : memref<1x56x56xf16>

// -----

memplan.arena @L2
// CHECK: %{{.*}} = memplan.buffer @L2 size 6272 alignment 64 lifetime <0 : i64, 3 : i64> : memref<1x56x56xf16>
%lifetime = memplan.buffer @L2 size 6272 alignment 64 lifetime <0 : i64, 3 : i64> : memref<1x56x56xf16>

// -----

memplan.arena @L2
// CHECK: %{{.*}} = memplan.buffer @L2 size 6272 alignment 64 lifetime <0 : i64, 3 : i64> offset 4096 {note = "x"} : memref<1x56x56xf16>
%planned = memplan.buffer @L2 size 6272 alignment 64 lifetime <0 : i64, 3 : i64> offset 4096 {note = "x"} : memref<1x56x56xf16>

// -----

// A tensor goes off chip and comes back.

// CHECK-LABEL: func.func @move
// CHECK:       %{{.*}} = memplan.spill %{{.*}} to @DDR : tensor<64xi8>
// CHECK-NEXT:  %{{.*}} = memplan.retrieve %{{.*}} to @L1 : tensor<64xi8>
func.func @move(%0: tensor<64xi8>) -> tensor<64xi8> {
  %1 = memplan.spill %0 to @DDR : tensor<64xi8>
  %2 = memplan.retrieve %1 to @L1 : tensor<64xi8>
  func.return %2 : tensor<64xi8>
}
