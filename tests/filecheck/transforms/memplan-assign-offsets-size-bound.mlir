// RUN: xdsl-opt --split-input-file --verify-diagnostics -p 'memplan-assign-offsets,memplan-verify' %s | filecheck %s

// %a may have up to 256 bytes: %b lies behind them.
func.func @bound(%n: index) {
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = {{0|256}} :
  %a = memref.alloc(%n) {memplan.size_bound = 256 : i64} : memref<?xf32>
  %b = memref.alloc() : memref<16xf32>
  "test.op"(%a, %b) : (memref<?xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @small): memplan.size_bound is 32, and the buffer has 64 bytes
func.func @small() {
  %a = memref.alloc() {memplan.size_bound = 32 : i64} : memref<16xf32>
  func.return
}

// -----

// CHECK: '%a = memref.alloc' (operation 1 of @none): the size of memref<?xf32> is not known at compile time; only static shapes and strides can be planned, or say the most bytes that it can have: memplan.size_bound = 4096 : i64
func.func @none(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.return
}
