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

// -----

// Regions of tensors that are off chip; offsets are numbers or values.

// CHECK-LABEL: func.func @regions
// CHECK:       %{{.*}} = memplan.load %{{.*}}[0, %{{.*}}] [4, 4] [2, 1] : tensor<8x8xf32> to tensor<4x4xf32>
// CHECK-NEXT:  %{{.*}} = memplan.carry %{{.*}}[0, 1] [4, 2] [1, 1] {note = "x"} : tensor<4x4xf32> to tensor<4x2xf32>
// CHECK-NEXT:  %{{.*}} = memplan.carry %{{.*}}[%{{.*}}, 0] [4, 2] [1, 1] over %{{.*}} {note = "y"} : tensor<4x4xf32> to tensor<4x2xf32>
// CHECK-NEXT:  %{{.*}} = memplan.store %{{.*}} into %{{.*}}[%{{.*}}, 1] [4, 2] [1, 1] to @DDR : tensor<4x2xf32> into tensor<8x8xf32>
func.func @regions(%x: tensor<8x8xf32>, %d: tensor<8x8xf32>, %i: index) -> tensor<8x8xf32> {
  %0 = memplan.load %x[0, %i] [4, 4] [2, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %1 = memplan.carry %0[0, 1] [4, 2] [1, 1] {note = "x"} : tensor<4x4xf32> to tensor<4x2xf32>
  %c = memplan.carry %0[%i, 0] [4, 2] [1, 1] over %1 {note = "y"} : tensor<4x4xf32> to tensor<4x2xf32>
  %2 = memplan.store %1 into %d[%i, 1] [4, 2] [1, 1] to @DDR : tensor<4x2xf32> into tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}

// -----

// A scalar has one region.

// CHECK-LABEL: func.func @scalar
// CHECK:       memplan.load %{{.*}}[] [] [] : tensor<f32> to tensor<f32>
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = memplan.load %x[] [] [] : tensor<f32> to tensor<f32>
  func.return %0 : tensor<f32>
}
