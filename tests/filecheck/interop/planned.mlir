// REQUIRES: mlir-opt
// RUN: xdsl-opt -p memplan-bufferize,memplan-annotate-lifetimes,memplan-assign-offsets --print-op-generic %s -o %t.mlir
// RUN: %mlir_opt --irdl-file=%irdl %t.mlir | filecheck %s
// RUN: sed 's/#memplan.lifetime<0 : i64, /#memplan.lifetime</' %t.mlir > %t.corrupt.mlir
// RUN: not %mlir_opt --irdl-file=%irdl %t.corrupt.mlir 2>&1 | filecheck %s --check-prefix=CORRUPT

// A stock mlir-opt that knows the IRDL text reads a planned function, and rejects a corrupted one.

// CHECK: "memplan.arena"() {{.*}}sym_name = "memory"
// CHECK: memplan.plan = #memplan.plan<
// CHECK: "memplan.buffer"() {{.*}}lifetime = #memplan.lifetime<0 : i64, 2 : i64>, offset = {{[0-9]+}} : i64
// CORRUPT: expected 2 type arguments, but had 1

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %u = linalg.transpose ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  func.return %u : tensor<4x4xf32>
}
