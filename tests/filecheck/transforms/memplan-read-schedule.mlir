// RUN: echo '{"ticks": 3000, "memories": [{"name": "L1", "capacity": 4096}], "tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}, {"tensor": "second", "memory": "L1", "start": 800, "end": 3000, "offset": 64, "copies": 2}]}' > %t.json
// RUN: xdsl-opt -p 'memplan-read-schedule{file="%t.json"},memplan-assign-offsets,memplan-verify{lifetimes=given}' %s | filecheck %s
// RUN: echo '{"tensors": [{"tensor": "z", "memory": "L1", "start": 0, "end": 900}]}' > %t.unknown.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.unknown.json"}' %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: echo '{"ticks": 10, "tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}]}' > %t.late.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.late.json"}' %s 2>&1 | filecheck %s --check-prefix=LATE
// RUN: echo '{"tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}], "memories": [{"name": "L1"}]}' > %t.part.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.part.json"}' %s 2>&1 | filecheck %s --check-prefix=PART
// RUN: echo '{"tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}, {"tensor": "a", "memory": "L2", "start": 0, "end": 900}], "memories": [{"name": "L1"}, {"name": "L2"}]}' > %t.two.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.two.json"}' %s 2>&1 | filecheck %s --check-prefix=TWO
// RUN: echo '{"tensors": [{"tensor": "a", "memory": "L3", "start": 0, "end": 900}], "memories": [{"name": "L1"}]}' > %t.memory.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.memory.json"}' %s 2>&1 | filecheck %s --check-prefix=MEMORY
// RUN: echo '{"tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900, "size": 60}], "memories": [{"name": "L1"}]}' > %t.size.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.size.json"}' %s 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: echo '{"tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900, "alignment": 128}], "memories": [{"name": "L1"}]}' > %t.align.json
// RUN: not xdsl-opt -p 'memplan-read-schedule{file="%t.align.json"}' %s 2>&1 | filecheck %s --check-prefix=ALIGN

// SIZE: '%a = memref.alloc' (operation 1 of @main): has 64 bytes, and tensor 'a' of the schedule has 60
// ALIGN: '%a = memref.alloc' (operation 1 of @main): is aligned to 64 bytes, and tensor 'a' of the schedule to 128
// PART: '%b = memref.alloc' (operation 2 of @main): the schedule has no such tensor, and has other buffers of this function; say when this one lives, in the same ticks
// TWO: '%a = memref.alloc' (operation 1 of @main): the schedule has it in L1 and in L2; a buffer lies in one memory, so use one for each and a copy between them
// MEMORY: tensor 'a' of the schedule: unknown memory 'L3'; known are L1
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
