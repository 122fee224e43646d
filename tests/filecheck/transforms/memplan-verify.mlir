// RUN: xdsl-opt -p memplan-verify --split-input-file %s | filecheck %s

// %a is read for the last time at tick 1, %c is written at tick 2: they may share bytes.

// CHECK-LABEL: @reuse
memplan.arena @L1 alignment 64 size 128
func.func @reuse(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 64 offset 64 : memref<16xf32>
  %c = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}

// -----

// The arms of an scf.if are never live together.

// CHECK-LABEL: @arms
memplan.arena @L1 alignment 64 size 64
func.func @arms(%x: memref<16xf32>, %flag: i1) {
  scf.if %flag {
    %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
    scf.yield
  } else {
    %b = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
    scf.yield
  }
  func.return
}

// -----

// A buffer in a loop is one storage; what an iteration is done with it may write over.

// CHECK-LABEL: @loop
memplan.arena @L1 alignment 64 size 64
func.func @loop(%x: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
    %b = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  }
  func.return
}

// -----

// The window of a pooling gives a shape and no contents: it is never live.

// CHECK-LABEL: @window
memplan.arena @L1 alignment 4 size 64
func.func @window(%x: memref<1x1x6x6xf32>) {
  %w = memplan.buffer @L1 size 36 alignment 4 lifetime <0 : i64, 0 : i64> offset 0 : memref<3x3xf32>
  %y = memplan.buffer @L1 size 64 alignment 4 lifetime <0 : i64, 1 : i64> offset 0 : memref<1x1x4x4xf32>
  linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w : memref<1x1x6x6xf32>, memref<3x3xf32>) outs(%y : memref<1x1x4x4xf32>)
  func.return
}
