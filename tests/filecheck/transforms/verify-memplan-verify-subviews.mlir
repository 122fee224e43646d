// RUN: xdsl-opt -p memplan-verify --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: '%p = memref.subview' (operation 1 of @size): takes 3x4 with strides [8, 1], and says that it is 2x4 with strides [8, 1]
func.func @size(%x: memref<8x8xf32>) {
  %p = memref.subview %x[1, 1] [3, 4] [1, 1] : memref<8x8xf32> to memref<2x4xf32, strided<[8, 1], offset: 9>>
  func.return
}

// -----

// CHECK: '%p = memref.subview' (operation 1 of @stride): takes 3x4 with strides [16, 1], and says that it is 3x4 with strides [8, 1]
func.func @stride(%x: memref<8x8xf32>) {
  %p = memref.subview %x[1, 1] [3, 4] [2, 1] : memref<8x8xf32> to memref<3x4xf32, strided<[8, 1], offset: 9>>
  func.return
}

// -----

// CHECK: '%p = memref.subview' (operation 1 of @offset): begins at element 9, and says that it does at 8
func.func @offset(%x: memref<8x8xf32>) {
  %p = memref.subview %x[1, 1] [3, 4] [1, 1] : memref<8x8xf32> to memref<3x4xf32, strided<[8, 1], offset: 8>>
  func.return
}

// -----

// Dimensions of one element may be left out, others not.
// CHECK: '%q = memref.subview' (operation 2 of @rank): takes 2x1x4 with strides [32, 8, 1], and says that it is 4 with strides [1]
func.func @rank(%x: memref<2x4x8xf32>, %i: index) {
  %p = memref.subview %x[0, %i, 2] [2, 1, 4] [1, 1, 1] : memref<2x4x8xf32> to memref<2x4xf32, strided<[32, 1], offset: ?>>
  %q = memref.subview %x[0, %i, 2] [2, 1, 4] [1, 1, 1] : memref<2x4x8xf32> to memref<4xf32, strided<[1], offset: ?>>
  func.return
}
