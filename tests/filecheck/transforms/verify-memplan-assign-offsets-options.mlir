// RUN: xdsl-opt -p 'memplan-assign-offsets{planner=fastest}' --verify-diagnostics %s | filecheck %s --check-prefix=PLANNER
// RUN: xdsl-opt -p 'memplan-assign-offsets{effort=much}' --verify-diagnostics %s | filecheck %s --check-prefix=EFFORT
// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=64kb"}' --verify-diagnostics %s | filecheck %s --check-prefix=SIZE
// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=64KiB:alignment=4"}' --verify-diagnostics %s | filecheck %s --check-prefix=DETAIL
// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1,L1"}' --verify-diagnostics %s | filecheck %s --check-prefix=TWICE

// PLANNER: option planner: unknown planner 'fastest'; known planners:
// EFFORT: unknown effort 'much'; known: low, medium, high, max
// SIZE: option memory: size of memory 'L1': '64kb' is not a size in bytes; write for example 131072 or 128KiB
// DETAIL: option memory: 'alignment=4' of memory 'L1' is unknown; known are align=BYTES, base=ADDRESS
// TWICE: option memory: memory 'L1' comes twice

memplan.arena @L1
func.func @main(%x: memref<4xf32>) {
  %a = memplan.buffer @L1 size 16 alignment 4 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  func.return
}
