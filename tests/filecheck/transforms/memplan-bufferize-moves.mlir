// RUN: xdsl-opt -p 'memplan-bufferize{memory="L1=64KiB,DDR"}' --split-input-file %s | filecheck %s

// A region of an argument is copied straight to where it is wanted: inside of a pad, which is a part
// of a concatenation. 2 + 4 rows of 8 elements are one buffer of 192 bytes.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:      %x: memref<16x6xf32>, %top: memref<2x8xf32>
// CHECK:         memplan.buffer @L1 size 192
// CHECK-NOT:     memplan.buffer
// CHECK:         [[PADDED:%.*]] = memref.subview %{{.*}}[2, 0] [4, 8] [1, 1]
// CHECK-NEXT:    [[INSIDE:%.*]] = memref.subview [[PADDED]][0, 1] [4, 6] [1, 1]
// CHECK-NEXT:    [[REGION:%.*]] = memref.subview %x[5, 0] [4, 6] [1, 1]
// CHECK-NEXT:    "memref.copy"([[REGION]], [[INSIDE]]) {memplan.move}
// CHECK-NOT:     memplan.buffer
// CHECK:         func.return
func.func @nested(%x: tensor<16x6xf32>, %top: tensor<2x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = memplan.load %x[5, 0] [4, 6] [1, 1] : tensor<16x6xf32> to tensor<4x6xf32>
  %1 = tensor.pad %0 low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  %2 = tensor.concat dim(0) %top, %1 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  func.return %2 : tensor<6x8xf32>
}

// -----

// A chain of stores has one buffer off chip, and what comes before and in between is not copied.

// CHECK-LABEL: func.func @chain
// CHECK:         [[A:%.*]] = memplan.buffer @L1 size 32
// CHECK:         [[D:%.*]] = memplan.buffer @DDR size 64
// CHECK:         [[PART:%.*]] = memref.subview [[D]][0] [8] [1]
// CHECK-NEXT:    "memref.copy"([[A]], [[PART]])
// CHECK:         [[PART:%.*]] = memref.subview [[D]][1] [8] [2]
// CHECK-NEXT:    "memref.copy"(%{{.*}}, [[PART]])
// CHECK-NOT:     memref.copy
// CHECK:         func.return [[D]]
func.func @chain(%x: tensor<8xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = memplan.load %x[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
  %a = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = tensor.empty() : tensor<16xf32>
  %1 = memplan.store %a into %d[0] [8] [1] to @DDR : tensor<8xf32> into tensor<16xf32>
  %b = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = memplan.store %b into %1[1] [8] [2] to @DDR : tensor<8xf32> into tensor<16xf32>
  func.return %2 : tensor<16xf32>
}

// -----

// An old version that is still read afterwards keeps its buffer, the new one is a copy.

// CHECK-LABEL: func.func @old_version
// CHECK-COUNT-2: memplan.buffer @DDR size 64
// CHECK-NOT:     memplan.buffer @DDR
func.func @old_version(%x: tensor<8xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %d = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %0 = memplan.load %x[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
  %1 = memplan.store %0 into %d[0] [8] [1] to @DDR : tensor<8xf32> into tensor<16xf32>
  %2 = memplan.store %0 into %1[8] [8] [1] to @DDR : tensor<8xf32> into tensor<16xf32>
  func.return %1, %2 : tensor<16xf32>, tensor<16xf32>
}

// -----

// What is carried has one buffer for the whole loop: 32 bytes. The window of 64 bytes is another.
// The copy into the window reads the old overlap before the copy out of the window writes it.

// CHECK-LABEL: func.func @carried
// CHECK:         [[OVERLAP:%.*]] = memplan.buffer @L1 size 32
// CHECK:         [[RESULT:%.*]] = memplan.buffer @DDR size 256
// CHECK:         scf.for [[I:%.*]] =
// CHECK-NEXT:      [[WINDOW:%.*]] = memplan.buffer @L1 size 64
// CHECK-NEXT:      [[NEW:%.*]] = memref.subview [[WINDOW]][2, 0] [2, 4]
// CHECK-NEXT:      [[FROM:%.*]] = memref.subview %{{.*}}[[[I]], 0] [2, 4]
// CHECK-NEXT:      "memref.copy"([[FROM]], [[NEW]]) {memplan.move}
// CHECK-NEXT:      [[OLD:%.*]] = memref.subview [[WINDOW]][0, 0] [2, 4]
// CHECK-NEXT:      "memref.copy"([[OVERLAP]], [[OLD]])
// CHECK-NEXT:      [[LAST:%.*]] = memref.subview [[WINDOW]][2, 0] [2, 4]
// CHECK-NEXT:      "memref.copy"([[LAST]], [[OVERLAP]])
// CHECK-NEXT:      linalg.exp ins([[WINDOW]] : memref<4x4xf32>) outs([[WINDOW]] : memref<4x4xf32>)
// CHECK-NEXT:      [[PART:%.*]] = memref.subview [[RESULT]][[[I]], 0] [4, 4]
// CHECK-NEXT:      "memref.copy"([[WINDOW]], [[PART]])
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return [[RESULT]]
func.func @carried(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %c2 = arith.constant 2 : index
  %c14 = arith.constant 14 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %d = tensor.empty() : tensor<16x4xf32>
  %0 = memplan.load %x[0, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
  %r:2 = scf.for %i = %c2 to %c14 step %c2 iter_args(%o = %0, %acc = %d) -> (tensor<2x4xf32>, tensor<16x4xf32>) {
    %new = memplan.load %x[%i, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
    %w = tensor.concat dim(0) %o, %new : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %o2 = memplan.carry %w[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
    %y = linalg.exp ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %acc2 = memplan.store %y into %acc[%i, 0] [4, 4] [1, 1] to @DDR : tensor<4x4xf32> into tensor<16x4xf32>
    scf.yield %o2, %acc2 : tensor<2x4xf32>, tensor<16x4xf32>
  }
  func.return %r#1 : tensor<16x4xf32>
}

// -----

// Two tiles in each iteration. What the first keeps comes into the room of the loop's argument, which is free by then, though it is of the
// loop all the time. Not so where the argument is read again.

// CHECK-LABEL: func.func @two_tiles
// CHECK:         [[FIRST:%.+]] = memplan.buffer @L1 size 32
// CHECK:         scf.for
// CHECK-NOT:       size 32
// CHECK:           "memref.copy"({{%.+}}, [[FIRST]]) : (memref<2x4xf32, strided<[4, 1], offset: 8>>, memref<2x4xf32>)
// CHECK-NOT:       size 32
// CHECK:           "memref.copy"({{%.+}}, [[FIRST]]) : (memref<2x4xf32, strided<[4, 1], offset: 8>>, memref<2x4xf32>)
func.func @two_tiles(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %d = tensor.empty() : tensor<16x4xf32>
  %0 = memplan.load %x[0, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
  %r:2 = scf.for %i = %c2 to %c14 step %c4 iter_args(%o = %0, %acc = %d) -> (tensor<2x4xf32>, tensor<16x4xf32>) {
    %j = arith.addi %i, %c2 : index
    %new = memplan.load %x[%i, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
    %w = tensor.concat dim(0) %o, %new : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %o2 = memplan.carry %w[2, 0] [2, 4] [1, 1] over %o : tensor<4x4xf32> to tensor<2x4xf32>
    %y = linalg.exp ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %acc2 = memplan.store %y into %acc[%i, 0] [4, 4] [1, 1] to @DDR : tensor<4x4xf32> into tensor<16x4xf32>
    %new2 = memplan.load %x[%j, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
    %w2 = tensor.concat dim(0) %o2, %new2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %o3 = memplan.carry %w2[2, 0] [2, 4] [1, 1] over %o2 : tensor<4x4xf32> to tensor<2x4xf32>
    %y2 = linalg.exp ins(%w2 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %acc3 = memplan.store %y2 into %acc2[%j, 0] [4, 4] [1, 1] to @DDR : tensor<4x4xf32> into tensor<16x4xf32>
    scf.yield %o3, %acc3 : tensor<2x4xf32>, tensor<16x4xf32>
  }
  func.return %r#1 : tensor<16x4xf32>
}

// -----

// CHECK-LABEL: func.func @read_again
// CHECK:         [[FIRST:%.+]] = memplan.buffer @L1 size 32
// CHECK:         scf.for
// CHECK:           [[OWN:%.+]] = memplan.buffer @L1 size 32
// CHECK:           "memref.copy"({{%.+}}, [[OWN]])
// CHECK:           linalg.add ins([[FIRST]], [[OWN]]
func.func @read_again(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %d = tensor.empty() : tensor<16x4xf32>
  %0 = memplan.load %x[0, 0] [2, 4] [1, 1] : tensor<16x4xf32> to tensor<2x4xf32>
  %r:2 = scf.for %i = %c2 to %c14 step %c4 iter_args(%o = %0, %acc = %d) -> (tensor<2x4xf32>, tensor<16x4xf32>) {
    %w = memplan.load %x[%i, 0] [4, 4] [1, 1] : tensor<16x4xf32> to tensor<4x4xf32>
    %o2 = memplan.carry %w[2, 0] [2, 4] [1, 1] over %o : tensor<4x4xf32> to tensor<2x4xf32>
    %y = linalg.add ins(%o, %o2 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %acc2 = memplan.store %y into %acc[%i, 0] [2, 4] [1, 1] to @DDR : tensor<2x4xf32> into tensor<16x4xf32>
    %o3 = memplan.carry %o2[0, 0] [2, 4] [1, 1] over %o2 : tensor<2x4xf32> to tensor<2x4xf32>
    scf.yield %o3, %acc2 : tensor<2x4xf32>, tensor<16x4xf32>
  }
  func.return %r#1 : tensor<16x4xf32>
}

// -----

// A region of what is the same everywhere costs nothing.

// CHECK-LABEL: func.func @uniform
// CHECK-NOT:     memref.copy
func.func @uniform() -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<16xf32>
  %0 = memplan.load %c[3] [4] [1] : tensor<16xf32> to tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// A constant lies in a global, of which a region is copied.

// CHECK-LABEL: func.func @weights
// CHECK:         [[ALL:%.*]] = memref.get_global
// CHECK:         [[REGION:%.*]] = memref.subview [[ALL]][1] [2] [1]
// CHECK-NEXT:    "memref.copy"([[REGION]], %{{.*}}) {memplan.move}
func.func @weights() -> tensor<2xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = memplan.load %c[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

// An argument that may be written holds the whole chain; what is stored there is marked as a move.

// CHECK-LABEL: func.func @writable
// CHECK-NOT:     memplan.buffer @DDR
// CHECK:         [[PART:%.*]] = memref.subview %out[8] [8] [1]
// CHECK-NEXT:    "memref.copy"(%{{.*}}, [[PART]]) {memplan.move}
// CHECK-NEXT:    func.return %out
func.func @writable(%x: tensor<8xf32>, %out: tensor<16xf32> {memplan.writable = true}) -> tensor<16xf32> {
  %0 = memplan.load %x[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
  %1 = memplan.store %0 into %out[0] [8] [1] to @DDR : tensor<8xf32> into tensor<16xf32>
  %2 = memplan.store %0 into %1[8] [8] [1] to @DDR : tensor<8xf32> into tensor<16xf32>
  func.return %2 : tensor<16xf32>
}
