// RUN: xdsl-opt %s -p memplan-hoist-loads | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-hoist-loads{which=0}' | filecheck %s --check-prefix=FIRST
// RUN: not xdsl-opt %s -p 'memplan-hoist-loads{which=3}' 2>&1 | filecheck %s --check-prefix=WRONG

// What is the same in all iterations is loaded once; the same part is there once. A branch may not
// be taken, and a loop of tiles keeps its loads.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    memplan.traffic = {total = 20480 : i64}
// CHECK:         %a = memplan.load %w[0, 0] [32, 64]
// CHECK-NEXT:    %c = memplan.load %w[32, 0] [16, 64]
// CHECK-NEXT:    scf.for %i
// CHECK-NEXT:      scf.for %j
// CHECK-NEXT:        memplan.load %s
// CHECK-NEXT:        "test.op"(%{{.*}}, %a, %a, %c)
// CHECK:           scf.for %k
// CHECK-NEXT:        memplan.load %w[0, 0] [1, 64]

// FIRST:         %a = memplan.load %w[0, 0] [32, 64]
// FIRST-NEXT:    scf.for %i
// FIRST-NEXT:      scf.for %j
// FIRST-NEXT:        memplan.load %s
// FIRST-NEXT:        memplan.load %w[0, 0] [32, 64]
// FIRST-NEXT:        memplan.load %w[32, 0]

// WRONG: memplan-hoist-loads: option which=3: there are 3 loads to move, counted from 0
func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64xf32> attributes {memplan.traffic = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%r = %x) -> (tensor<1x64xf32>) {
    %z = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %r) -> (tensor<1x64xf32>) {
      %t = memplan.load %s[0, 0] [1, 64] [1, 1] : tensor<1x64xf32> to tensor<1x64xf32>
      %a = memplan.load %w[0, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
      %b = memplan.load %w[0, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
      %c = memplan.load %w[32, 0] [16, 64] [1, 1] : tensor<64x64xf32> to tensor<16x64xf32>
      %n = "test.op"(%t, %a, %b, %c) : (tensor<1x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
      scf.yield %n : tensor<1x64xf32>
    } {memplan.home = "DDR"}
    %o = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %z) -> (tensor<1x64xf32>) {
      %v = memplan.load %w[0, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<1x64xf32>
      %n = "test.op"(%s, %v) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      scf.yield %n : tensor<1x64xf32>
    }
    scf.yield %o : tensor<1x64xf32>
  } {memplan.home = "DDR"}
  func.return %y : tensor<1x64xf32>
}
