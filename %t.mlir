"builtin.module"() ({
  "memplan.arena"() {sym_name = "memory", alignment = 64 : i64, size = 128 : i64} : () -> ()
  "func.func"() <{sym_name = "f", function_type = (memref<4x4xf32>) -> memref<4x4xf32>, arg_attrs = [{memplan.lifetime = #memplan.lifetime<0 : i64, 1 : i64>}]}> ({
  ^bb0(%x: memref<4x4xf32>):
    %t = "memplan.buffer"() {arena = @memory, alignment = 64 : i64, size = 64 : i64, lifetime = #memplan.lifetime<0 : i64, 2 : i64>, offset = 0 : i64} : () -> memref<4x4xf32>
    "linalg.transpose"(%x, %t) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%0: f32, %1: f32):
      "linalg.yield"(%0) : (f32) -> ()
    }) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
    %u = "memplan.buffer"() {arena = @memory, alignment = 64 : i64, size = 64 : i64, lifetime = #memplan.lifetime<1 : i64, 2 : i64>, offset = 64 : i64} : () -> memref<4x4xf32>
    "linalg.transpose"(%t, %u) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%2: f32, %3: f32):
      "linalg.yield"(%2) : (f32) -> ()
    }) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
    "func.return"(%u) : (memref<4x4xf32>) -> ()
  }) {memplan.plan = #memplan.plan<"auto", 128 : i64, 128 : i64, 128 : i64>} : () -> ()
}) : () -> ()

