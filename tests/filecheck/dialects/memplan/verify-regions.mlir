// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: dimension 1: the region [5, 9) is outside of 8
func.func @beyond(%x: tensor<8x8xf32>) {
  %0 = memplan.load %x[0, 5] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

// A value as offset is at least 0: four elements with stride 3 are 10 long.
// CHECK: dimension 0: the region [0, 10) is outside of 8
func.func @stride(%x: tensor<8x8xf32>, %i: index) {
  %0 = memplan.load %x[%i, 0] [4, 4] [3, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

// CHECK: dimension 0: the region [-1, 3) is outside of 8
func.func @negative(%x: tensor<8x8xf32>) {
  %0 = memplan.carry %x[-1, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

// CHECK: the region is [4, 4] of tensor<8x8xf32>, the part is tensor<4x2xf32>
func.func @shape(%x: tensor<8x8xf32>) {
  %0 = memplan.carry %x[0, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x2xf32>
  func.return
}

// -----

// CHECK: attribute tensor<2x2xf32> expected from variable 'T', but got tensor<4x4xf32>
func.func @over(%x: tensor<8x8xf32>, %o: tensor<2x2xf32>) {
  %0 = "memplan.carry"(%x, %o) {static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>,
      operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<8x8xf32>, tensor<2x2xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

// CHECK: the region is [4, 4] of tensor<8x8xf32>, the part is tensor<4x4xf16>
func.func @element(%x: tensor<4x4xf16>, %d: tensor<8x8xf32>) {
  %0 = memplan.store %x into %d[0, 0] [4, 4] [1, 1] to @DDR : tensor<4x4xf16> into tensor<8x8xf32>
  func.return
}

// -----

// CHECK: expected one offset per dimension of tensor<8x8xf32>, got 1
func.func @rank(%x: tensor<8x8xf32>) {
  %0 = memplan.load %x[0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

// CHECK: dimension 1: size 4 and stride 0 must be positive
func.func @standing(%x: tensor<8x8xf32>) {
  %0 = memplan.load %x[0, 0] [4, 4] [1, 0] : tensor<8x8xf32> to tensor<4x4xf32>
  func.return
}

// -----

// CHECK: 1 offsets are values, 0 values are given
func.func @missing(%x: tensor<8x8xf32>) {
  %0 = "memplan.load"(%x) {static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>} : (tensor<8x8xf32>) -> tensor<4x4xf32>
  func.return
}
