// RUN: xdsl-opt %s -p 'memplan-schedule{objective=speed}' --verify-diagnostics | filecheck %s --check-prefix=OBJECTIVE
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic}' --verify-diagnostics | filecheck %s --check-prefix=CAPACITY
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=64"}' --verify-diagnostics | filecheck %s --check-prefix=SMALL
// RUN: xdsl-opt %s -p 'memplan-schedule{max-states=0}' --verify-diagnostics | filecheck %s --check-prefix=STATES
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=1024,DDR"},memplan-annotate-lifetimes,memplan-bufferize' --verify-diagnostics | filecheck %s --check-prefix=FORGOTTEN

// OBJECTIVE: option objective: unknown 'speed'; known are peak, traffic, fit
// CAPACITY: objective=traffic needs the capacity of the on-chip memory; write for example memory="L1=256KiB"
// SMALL: @main: operator 'linalg.vecmat 0' reads and makes 128 bytes (M_R), which must be on chip at once; the capacity is 64
// FORGOTTEN: memplan.spill{{.*}}: there is no memory 'DDR', known is memory; give the option memory that memplan-schedule had
// STATES: option max-states: 0 is not positive
func.func @main(%x: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %p = linalg.vecmat ins(%x, %w : tensor<16xf32>, tensor<16x16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %q = linalg.vecmat ins(%p, %w : tensor<16xf32>, tensor<16x16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  func.return %q : tensor<16xf32>
}
