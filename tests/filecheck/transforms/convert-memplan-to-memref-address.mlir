// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=address}' %s | filecheck %s

// MLIR's descriptor of 128 bytes at 0x10000000, and views of it.
memplan.arena @L1 alignment 64 base 268435456 size 128
func.func @main(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 offset 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}
// CHECK:      [[SHIFT:%.*]] = arith.constant 64 : index
// CHECK:      [[ADDRESS:%.*]] = arith.constant 268435456 : i64
// CHECK:      [[POINTER:%.*]] = llvm.inttoptr [[ADDRESS]] : i64 to !llvm.ptr
// CHECK:      llvm.insertvalue [[POINTER]], {{.*}}[0]
// CHECK-NEXT: llvm.insertvalue [[POINTER]], {{.*}}[1]
// CHECK:      [[L1:%.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<128xi8>
// CHECK-NEXT: %a = memref.view [[L1]][[[SHIFT]]][] : memref<128xi8> to memref<16xf32>
