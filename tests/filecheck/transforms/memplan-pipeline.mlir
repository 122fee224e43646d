// RUN: xdsl-opt -p memplan-pipeline %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-pipeline{arena=argument memory="L1=1KiB"}' %s | filecheck %s --check-prefix=ARGUMENT
// RUN: xdsl-opt -p 'memplan-pipeline{summary=true planner=first-fit-by-size memory="L1=1KiB"}' %s 2>&1 >/dev/null | filecheck %s --check-prefix=SUMMARY
// RUN: xdsl-opt -p 'memplan-pipeline{timing=true}' %s 2>&1 >/dev/null | filecheck %s --check-prefix=TIMING
// RUN: xdsl-opt -p 'memplan-pipeline{print-ir=true}' %s 2>&1 >/dev/null | filecheck %s --check-prefix=PRINT
// RUN: xdsl-opt -p 'memplan-pipeline{planner=first-fit-by-size memory="L1=100"}' --verify-diagnostics %s | filecheck %s --check-prefix=SMALL
// RUN: xdsl-opt -p 'memplan-pipeline{verify=false timing=true}' %s 2>&1 >/dev/null | filecheck %s --check-prefix=UNVERIFIED
// RUN: xdsl-opt -p 'memplan-pipeline{objective=none timing=true}' %s 2>&1 >/dev/null | filecheck %s --check-prefix=UNORDERED
// RUN: xdsl-opt -p memplan-pipeline %s > %t.whole
// RUN: xdsl-opt -p memplan-generalize-ops,memplan-trim,memplan-fold-transposes,memplan-fold-reshapes,memplan-fuse-elementwise,memplan-schedule,memplan-bufferize,memplan-assign-offsets,memplan-verify,convert-memplan-to-memref %s > %t.parts
// RUN: diff %t.whole %t.parts

// The matmul needs %f, which is 4 * 4 * 4 bytes; its result goes there, and exp works in place.
// %a is another 64 bytes.

// CHECK-NOT: tensor
// CHECK-NOT: memplan
// CHECK: "memref.global"() <{sym_name = "memory", type = memref<128xi8>
// CHECK: func.func @main(%x: memref<4x4xf32>) -> memref<4x4xf32>

// ARGUMENT: func.func @main(%x: memref<4x4xf32>, %L1: memref<128xi8>) -> memref<4x4xf32>

// SUMMARY:      @L1: 128 bytes of 1024
// SUMMARY-NEXT: @main: 128 bytes for 2 buffers, load 128, bound 128 (optimal), fragmentation 0.00%, planner first-fit-by-size
// SUMMARY-NEXT: seconds: memplan-inline-calls {{.*}}, memplan-generalize-ops {{.*}}, memplan-trim {{.*}}, memplan-fold-transposes {{.*}}, memplan-fold-reshapes {{.*}}, memplan-fuse-elementwise {{.*}}, memplan-schedule {{.*}}, memplan-bufferize {{.*}}, convert-memplan-to-memref

// TIMING:      Pass memplan-generalize-ops took {{.*}} seconds
// TIMING-NEXT: Pass memplan-trim took {{.*}} seconds
// TIMING-NEXT: Pass memplan-fold-transposes took {{.*}} seconds
// TIMING-NEXT: Pass memplan-fold-reshapes took {{.*}} seconds
// TIMING-NEXT: Pass memplan-fuse-elementwise took {{.*}} seconds
// TIMING-NEXT: Pass memplan-schedule took {{.*}} seconds
// TIMING-NEXT: Pass memplan-bufferize took {{.*}} seconds
// TIMING-NEXT: Pass memplan-assign-offsets took {{.*}} seconds
// TIMING-NEXT: Pass memplan-verify took {{.*}} seconds
// TIMING-NEXT: Pass convert-memplan-to-memref took {{.*}} seconds

// PRINT: IR after memplan-schedule:
// PRINT: IR after memplan-bufferize:
// PRINT: memplan.buffer @memory size 64
// PRINT: IR after memplan-assign-offsets:
// PRINT: lifetime
// PRINT: offset

// SMALL: memory 'L1' is too small for @main: required 128 bytes, available 100, excess 28

// UNORDERED: memplan-fuse-elementwise
// UNORDERED-NEXT: memplan-bufferize

// UNVERIFIED: memplan-assign-offsets
// UNVERIFIED-NEXT: convert-memplan-to-memref

func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.exp ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}
