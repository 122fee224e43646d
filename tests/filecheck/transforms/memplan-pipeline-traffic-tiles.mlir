// RUN: xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=2048:align=16,DDR" summary=true rewrite=false}' %s 2>&1 | filecheck %s --check-prefix=WHOLE
// RUN: xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=1024:align=16,DDR" summary=true rewrite=false}' %s 2>&1 | filecheck %s --check-prefix=TILES
// RUN: xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=2048:align=16,DDR" stage=all summary=true rewrite=false}' %s 2>&1 | filecheck %s --check-prefix=STAGED
// RUN: not xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=1024:align=16,DDR" split=never rewrite=false}' %s 2>&1 | filecheck %s --check-prefix=NEVER
// RUN: not xdsl-opt -p 'memplan-pipeline{objective=traffic memory="L1=16:align=16,DDR" rewrite=false}' %s 2>&1 | filecheck %s --check-prefix=NOWHERE

// The product reads 1024 bytes and makes 1024. With 2048 bytes it stays whole, with less it is cut into tiles. Where
// even tiles do not fit, nobody is told to try them.

// WHOLE: linalg.matmul ins({{.*}} : memref<16x16xf32>, memref<16x16xf32>)
// TILES: linalg.matmul ins({{.*}} : memref<{{[1-8]}}x16xf32{{.*}}>, memref<16x16xf32{{.*}}>)
// STAGED: linalg.matmul ins({{.*}} : memref<{{[1-9]}}x16xf32{{.*}}>, memref<16x16xf32{{.*}}>)
// NEVER: split=auto
// NOWHERE-NOT: split=auto
// NOWHERE: in tiles it does not fit either
// NOWHERE-NOT: split=auto
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = linalg.matmul ins(%a, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %y : tensor<16x16xf32>
}
