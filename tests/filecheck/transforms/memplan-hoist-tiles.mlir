// RUN: xdsl-opt %s -p 'memplan-hoist-tiles{room=7000}' | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-hoist-tiles{room=20000}' | filecheck %s --check-prefix=ALL
// RUN: xdsl-opt %s -p 'memplan-hoist-tiles' | filecheck %s --check-prefix=NONE
// RUN: not xdsl-opt %s -p 'memplan-hoist-tiles{room=-1}' 2>&1 | filecheck %s --check-prefix=WRONG

// Three of seven tiles of 2048 bytes are loaded before the loop of the program; the loop of tiles
// reads these first, then loads the others.

// CHECK:         memplan.traffic = {total = 145408 : i64}
// CHECK:         %[[KEPT:.*]] = memplan.load %w[0, 8] [64, 24]
// CHECK-NEXT:    %y = scf.for %i = %c0 to %c16
// CHECK:           %[[BORDER:.*]] = arith.constant 4 : index
// CHECK-NEXT:      %[[SUM:.*]] = scf.for %k = %c1 to %[[BORDER]] step %c1 iter_args(%a = %e)
// CHECK-NEXT:        %at = arith.muli %k, %c8
// CHECK-NEXT:        %[[BACK:.*]] = arith.constant -8 : index
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %at, %[[BACK]]
// CHECK-NEXT:        tensor.extract_slice %[[KEPT]][0, %[[AT]]] [64, 8] [1, 1]
// CHECK:           scf.for %{{.*}} = %[[BORDER]] to %c8 step %c1 iter_args(%{{.*}} = %[[SUM]])
// CHECK:             memplan.load %w

// ALL:           %[[KEPT:.*]] = memplan.load %w[0, 8] [64, 56]
// ALL:           scf.for
// ALL:             scf.for
// ALL-NOT:           memplan.load %w
// ALL-NOT:         scf.for
// ALL:           func.return

// NONE-NOT:      memplan.load %w
// NONE:          scf.for
// NONE-NEXT:     tensor.empty

// WRONG: memplan-hoist-tiles: option room=-1 is negative
func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64xf32> attributes {memplan.split, memplan.traffic = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<1x64xf32>) {
    %e = tensor.empty() : tensor<1x64xf32>
    %d = tensor.empty() : tensor<1x64xf32>
    %t = memplan.load %s[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> to tensor<1x64xf32>
    %f = scf.for %k = %c1 to %c8 step %c1 iter_args(%a = %e) -> (tensor<1x64xf32>) {
      %at = arith.muli %k, %c8 : index
      %v = memplan.load %w[0, %at] [64, 8] [1, 1] : tensor<64x64xf32> to tensor<64x8xf32>
      %u = tensor.extract_slice %a[0, %at] [1, 8] [1, 1] : tensor<1x64xf32> to tensor<1x8xf32>
      %p = linalg.matmul ins(%t, %v : tensor<1x64xf32>, tensor<64x8xf32>) outs(%u : tensor<1x8xf32>) -> tensor<1x8xf32>
      %q = tensor.insert_slice %p into %a[0, %at] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<1x64xf32>
      scf.yield %q : tensor<1x64xf32>
    }
    %r = memplan.store %f into %d[0, 0] [1, 64] [1, 1] to @DDR : tensor<1x64xf32> into tensor<1x64xf32>
    scf.yield %r : tensor<1x64xf32>
  } {memplan.home = "DDR"}
  func.return %y : tensor<1x64xf32>
}

// Tiles that two loops move: what three iterations of the inner one read in all of the outer one.

// CHECK-LABEL: func.func @nested
// CHECK:         %[[KEPT:.*]] = memplan.load %w[0, 0] [64, 24]
// CHECK-NEXT:    scf.for %i
// CHECK:           scf.for %j = %c0 to %c2
// CHECK:             %[[SUM:.*]] = scf.for %k = %c0 to %[[BORDER:.*]] step
// CHECK:               tensor.extract_slice %[[KEPT]][%row, %at] [32, 8] [1, 1]
// CHECK:             scf.for %{{.*}} = %[[BORDER]] to %c8 step %c1 iter_args(%{{.*}} = %[[SUM]])
// CHECK:               memplan.load %w
func.func @nested(%x: tensor<64xf32>, %w: tensor<64x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<64xf32>) {
    %d = tensor.empty() : tensor<64xf32>
    %t = memplan.load %s[0] [64] [1] : tensor<64xf32> to tensor<64xf32>
    %r = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %d) -> (tensor<64xf32>) {
      %e = tensor.empty() : tensor<32xf32>
      %row = arith.muli %j, %c32 : index
      %f = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %e) -> (tensor<32xf32>) {
        %at = arith.muli %k, %c8 : index
        %v = memplan.load %w[%row, %at] [32, 8] [1, 1] : tensor<64x64xf32> to tensor<32x8xf32>
        %u = tensor.extract_slice %t[%at] [8] [1] : tensor<64xf32> to tensor<8xf32>
        %p = linalg.matvec ins(%v, %u : tensor<32x8xf32>, tensor<8xf32>) outs(%b : tensor<32xf32>) -> tensor<32xf32>
        scf.yield %p : tensor<32xf32>
      }
      %q = memplan.store %f into %a[%row] [32] [1] to @DDR : tensor<32xf32> into tensor<64xf32>
      scf.yield %q : tensor<64xf32>
    }
    scf.yield %r : tensor<64xf32>
  } {memplan.home = "DDR"}
  func.return %y : tensor<64xf32>
}

// Of two loads in one iteration one is kept whole; the loop is not cut for it.

// CHECK-LABEL: func.func @two_loads
// CHECK:         %[[KEPT:.*]] = memplan.load %w[0, 0] [64, 24]
// CHECK-NEXT:    scf.for %i
// CHECK:           scf.for %k = %c0 to %c2
// CHECK:             tensor.extract_slice %[[KEPT]][%at, 0] [32, 24] [1, 1]
// CHECK:             memplan.load %w[%at, 24]
// CHECK-NOT:       scf.for
func.func @two_loads(%x: tensor<64xf32>, %w: tensor<64x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<64xf32>) {
    %d = tensor.empty() : tensor<64xf32>
    %e = tensor.empty() : tensor<32xf32>
    %t = memplan.load %s[0] [64] [1] : tensor<64xf32> to tensor<64xf32>
    %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %d) -> (tensor<64xf32>) {
      %at = arith.muli %k, %c32 : index
      %v = memplan.load %w[%at, 0] [32, 24] [1, 1] : tensor<64x64xf32> to tensor<32x24xf32>
      %u = tensor.extract_slice %t[0] [24] [1] : tensor<64xf32> to tensor<24xf32>
      %p = linalg.matvec ins(%v, %u : tensor<32x24xf32>, tensor<24xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
      %v2 = memplan.load %w[%at, 24] [32, 40] [1, 1] : tensor<64x64xf32> to tensor<32x40xf32>
      %u2 = tensor.extract_slice %t[24] [40] [1] : tensor<64xf32> to tensor<40xf32>
      %p2 = linalg.matvec ins(%v2, %u2 : tensor<32x40xf32>, tensor<40xf32>) outs(%p : tensor<32xf32>) -> tensor<32xf32>
      %q = memplan.store %p2 into %a[%at] [32] [1] to @DDR : tensor<32xf32> into tensor<64xf32>
      scf.yield %q : tensor<64xf32>
    }
    scf.yield %r : tensor<64xf32>
  } {memplan.home = "DDR"}
  func.return %y : tensor<64xf32>
}

// Weights of three layers, one for each iteration of an inner loop of the program, which is cut.

// CHECK-LABEL: func.func @layers
// CHECK:         %[[KEPT:.*]] = memplan.load %w[0, 0, 0] [1, 32, 32]
// CHECK-NEXT:    scf.for %i
// CHECK:           %[[FIRST:.*]] = scf.for %l = %c0 to %[[BORDER:.*]] step
// CHECK-NOT:         tensor.extract_slice %w
// CHECK:             tensor.extract_slice %[[KEPT]][%l, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<1x32x32xf32> to tensor<32x32xf32>
// CHECK:           scf.for %{{.*}} = %[[BORDER]] to %c3 step %c1 iter_args(%{{.*}} = %[[FIRST]])
// CHECK:             %[[LAYER:.*]] = tensor.extract_slice %w
// CHECK:             memplan.load %[[LAYER]]
func.func @layers(%x: tensor<1x32xf32>, %w: tensor<3x32x32xf32>) -> tensor<1x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<1x32xf32>) {
    %z = scf.for %l = %c0 to %c3 step %c1 iter_args(%h = %s) -> (tensor<1x32xf32>) {
      %m = tensor.extract_slice %w[%l, 0, 0] [1, 32, 32] [1, 1, 1] {memplan.home = "DDR"} : tensor<3x32x32xf32> to tensor<32x32xf32>
      %d = tensor.empty() : tensor<1x32xf32>
      %e = tensor.empty() : tensor<1x32xf32>
      %t = memplan.load %h[0, 0] [1, 32] [1, 1] : tensor<1x32xf32> to tensor<1x32xf32>
      %v = memplan.load %m[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> to tensor<32x32xf32>
      %p = linalg.matmul ins(%t, %v : tensor<1x32xf32>, tensor<32x32xf32>) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
      %q = memplan.store %p into %d[0, 0] [1, 32] [1, 1] to @DDR : tensor<1x32xf32> into tensor<1x32xf32>
      scf.yield %q : tensor<1x32xf32>
    } {memplan.home = "DDR"}
    scf.yield %z : tensor<1x32xf32>
  } {memplan.home = "DDR"}
  func.return %y : tensor<1x32xf32>
}
