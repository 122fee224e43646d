// REQUIRES: mlir-opt
// RUN: xdsl-opt -p convert-memplan-to-memref %s | %mlir_opt --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops),convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' | filecheck %s
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=alloc}' --print-op-generic %s | %mlir_opt
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=argument}' --print-op-generic %s | %mlir_opt
// RUN: sed "s/@L1 alignment 64/@L1 alignment 64 base 4096/" %s | xdsl-opt -p "convert-memplan-to-memref{arena=address}" | %mlir_opt --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops),convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)" | filecheck %s --check-prefix=ADDRESS
// ADDRESS-NOT: unrealized_conversion_cast

// What is left is upstream IR, and lowers to LLVM.

// CHECK: llvm.mlir.global private @L1()
// CHECK-SAME: alignment = 64
// CHECK-SAME: !llvm.array<256 x i8>
// CHECK-NOT: unrealized_conversion_cast
memplan.arena @L1 alignment 64 size 256
func.func @leaf(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
func.func @main(%x: memref<16xf32>) -> memref<16xf32> {
  %a = memplan.buffer @L1 size 128 alignment 64 offset 128 : memref<16xf32, strided<[2], offset: 1>>
  %b = memplan.buffer @L1 size 64 alignment 64 offset 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32, strided<[2], offset: 1>>)
  linalg.exp ins(%a : memref<16xf32, strided<[2], offset: 1>>) outs(%b : memref<16xf32>)
  func.call @leaf(%b) : (memref<16xf32>) -> ()
  func.return %b : memref<16xf32>
}
