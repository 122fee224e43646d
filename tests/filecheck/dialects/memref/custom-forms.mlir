// RUN: XDSL_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL reads the generic forms alone, and so they are printed.

// CHECK: "memref.global"() {{.*}}sym_name = "w"{{.*}}initial_value = dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf32>{{.*}}alignment = 64 : i64
// CHECK: "memref.global"() {{.*}}sym_name = "u"{{.*}}initial_value}
// CHECK: "memref.global"() {{.*}}sym_name = "r"{{.*}}dense_resource<weights> : tensor<2xf32>
memref.global "private" constant @w : memref<2xf32> = dense<[1.0, -2.0]> {alignment = 64 : i64}
memref.global "private" @u : memref<2xf32> = uninitialized
memref.global @r : memref<2xf32> = dense_resource<weights>

// CHECK: @moves
// CHECK: "memref.copy"(%{{.*}}, %{{.*}}) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
// CHECK: "memref.cast"(%{{.*}}) : (memref<8x4xf32>) -> memref<?x4xf32>
// CHECK: "memref.memory_space_cast"(%{{.*}}) : (memref<8x4xf32>) -> memref<8x4xf32, 1 : i64>
// CHECK: "memref.extract_aligned_pointer_as_index"(%{{.*}}) : (memref<8x4xf32>) -> index
func.func @moves(%a: memref<8x4xf32>, %b: memref<8x4xf32>) {
  memref.copy %a, %b : memref<8x4xf32> to memref<8x4xf32>
  %0 = memref.cast %a : memref<8x4xf32> to memref<?x4xf32>
  %1 = memref.memory_space_cast %a : memref<8x4xf32> to memref<8x4xf32, 1>
  %2 = memref.extract_aligned_pointer_as_index %a : memref<8x4xf32> -> index
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
