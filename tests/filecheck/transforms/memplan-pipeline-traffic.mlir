// RUN: xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=192,DDR" planner=first-fit-by-size summary=true rewrite=false}' %s 2>&1 | filecheck %s

// Four tensors of 64 bytes are wanted at the end of a chain, 256 bytes; the chip has 192. Some go
// off chip and come back: two arenas, and copies between them. What is
// proved is proved for operations as they are: in tiles less may have to move.

// CHECK-DAG: @L1: {{[0-9]+}} bytes of 192
// CHECK-DAG: @main in DDR: {{[0-9]+}} bytes for {{[1-9]}} buffers
// CHECK-DAG: @main: {{[0-9]+}} bytes move off chip and back (optimal for these operations)
// CHECK-DAG: "memref.global"() <{sym_name = "L1"
// CHECK-DAG: "memref.global"() <{sym_name = "DDR"
// CHECK-DAG: "memref.copy"
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %a = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %b = linalg.exp ins(%a : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %c = linalg.exp ins(%b : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %d = linalg.exp ins(%c : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.add ins(%d, %a : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %t = linalg.add ins(%s, %b : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %u = linalg.add ins(%t, %c : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  func.return %u : tensor<16xf32>
}
