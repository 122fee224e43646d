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
// CHECK-NEXT:        %[[BEGIN:.*]] = arith.constant 8 : index
// CHECK-NEXT:        %[[AT:.*]] = arith.subi %at, %[[BEGIN]]
// CHECK-NEXT:        tensor.extract_slice %[[KEPT]][0, %[[AT]]] [64, 8] [1, 1]
// CHECK:           scf.for %{{.*}} = %[[BORDER]] to %c8 step %c1 iter_args(%{{.*}} = %[[SUM]])
// CHECK:             memplan.load %w

// ALL:           %[[KEPT:.*]] = memplan.load %w[0, 8] [64, 56]
// ALL:           scf.for
// ALL:             scf.for
// ALL-NOT:           memplan.load %w
// ALL-NOT:         scf.for

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
