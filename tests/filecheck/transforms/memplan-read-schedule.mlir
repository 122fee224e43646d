// RUN: echo '{"ticks": 3000, "memories": [{"name": "L1", "capacity": 4096}], "tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}, {"tensor": "second", "memory": "L1", "start": 800, "end": 3000, "offset": 64, "copies": 2}]}' > %t.json
// RUN: xdsl-opt -p 'memplan-read-schedule{file="%t.json"},memplan-assign-offsets,memplan-verify{lifetimes=given}' %s | filecheck %s
// RUN: echo '{"tensors": [{"tensor": "z", "memory": "L1", "start": 0, "end": 900}]}' > %t.unknown.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.unknown.json"}' %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: echo '{"ticks": 10, "tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}]}' > %t.late.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.late.json"}' %s 2>&1 | filecheck %s --check-prefix=LATE

// CHECK: memplan.arena @L1 capacity 4096 alignment 64 base 0 size 192
// UNKNOWN: tensor 'z' of the schedule: no buffer has this name; buffers are a, second
// LATE: late.json:1:27: tensor 'a': lifetime [0, 900) is outside of [0, 10)
func.func @main(%x: memref<16xf32>) {
  // CHECK: %a = memref.alloc() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>], {{.*}}memplan.offset = 0 : i64
  %a = memref.alloc() : memref<16xf32>
  // CHECK: %b = memref.alloc() {{.*}}memplan.offset = 64 : i64
  %b = memref.alloc() {memplan.name = "second"} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  func.return
}
