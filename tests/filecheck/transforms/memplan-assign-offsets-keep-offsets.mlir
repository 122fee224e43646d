// RUN: xdsl-opt -p 'memplan-assign-offsets{keep-offsets=true},memplan-verify' %s | filecheck %s
// RUN: xdsl-opt -p memplan-assign-offsets %s | filecheck %s --check-prefix=ANEW

// Somebody has placed %a. Without the option everything is placed anew.
func.func @main(%x: memref<16xf32>) {
  // CHECK: %a = memref.alloc() {memplan.offset = 4096
  // ANEW: memplan.arena @memory alignment 64 size 128
  %a = memref.alloc() {memplan.offset = 4096 : i64, memplan.arena = @memory} : memref<16xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = 0 :
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
