// RUN: xdsl-opt -p 'memplan-assign-offsets{memory="L1=1KiB:base=0x1000"}' -t 'memplan-json{memory="L1=1KiB:base=0x1000"}' %s | filecheck %s

// CHECK:      "problems": [
// CHECK:      "function": "main",
// CHECK-NEXT: "memory": "L1",
// CHECK-NEXT: "capacity": 1024,
// CHECK-NEXT: "base": 4096,
// CHECK-NEXT: "buffers": [
// CHECK:      "id": "a.0",
// CHECK-NEXT: "lower": 0,
// CHECK-NEXT: "upper": 1,
// CHECK-NEXT: "size": 64,
// CHECK-NEXT: "alignment": 64,
// CHECK-NEXT: "operation": "memref.alloc",
// CHECK-NEXT: "offset": 0
func.func @main(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}
