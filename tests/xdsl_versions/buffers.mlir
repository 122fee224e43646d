// Buffer IR that every xDSL from 0.57 on can plan: %b and %c share, %a is read to the end through a view.
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (memref<16xf32>) -> ()}> ({
  ^bb0(%x : memref<16xf32>):
    %a = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<16xf32>
    %b = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<16xf32>
    %c = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<16xf32>
    %v = "memref.cast"(%a) : (memref<16xf32>) -> memref<16xf32, strided<[1], offset: ?>>
    "memref.copy"(%x, %a) : (memref<16xf32>, memref<16xf32>) -> ()
    "memref.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
    "memref.copy"(%b, %x) : (memref<16xf32>, memref<16xf32>) -> ()
    "memref.copy"(%v, %c) : (memref<16xf32, strided<[1], offset: ?>>, memref<16xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
