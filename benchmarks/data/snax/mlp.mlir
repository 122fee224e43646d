"builtin.module"() ({
  "memref.global"() <{alignment = 64 : i64, constant, initial_value = dense<[[1, 1, 1, 0, 0, 0, 0, 1], [-3, -3, -1, -2, -2, -1, -1, -4], [-2, -1, -1, -2, 0, 0, 0, -2], [-2, -1, -1, 0, -1, -1, -1, -1], [0, 0, -2, 1, 1, 0, 0, 1], [-1, 0, -1, 0, 0, 0, -1, 0], [0, -1, 1, 0, -2, -1, -1, -2], [2, 1, -1, 2, 0, -1, 0, 1]]> : tensor<8x8xi8>, sym_name = "__constant_8x8xi8_2", sym_visibility = "private", type = memref<8x8xi8>}> : () -> ()
  "func.func"() <{sym_name = "snax_main", function_type = () -> (memref<8x8xi8, "L3">, memref<8x8xi8, "L3">)}> ({
    %0 = "memref.get_global"() <{name = @__constant_8x8xi8_transformed}> : () -> memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L3">
    %1 = "memref.get_global"() <{name = @__constant_8x8xi8_0_transformed}> : () -> memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L3">
    %2 = "memref.get_global"() <{name = @__constant_8x16xi8_transformed}> : () -> memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>, "L3">
    %3 = "memref.get_global"() <{name = @__constant_16x32xi8_transformed}> : () -> memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>, "L3">
    %4 = "memref.get_global"() <{name = @__constant_32x16xi8_transformed}> : () -> memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>, "L3">
    %5 = "memref.get_global"() <{name = @__constant_16x8xi8_transformed}> : () -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">
    %6 = "memref.get_global"() <{name = @__constant_8x8xi8_1_transformed}> : () -> memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L3">
    %7 = "memref.get_global"() <{name = @__constant_8x8xi8_2}> : () -> memref<8x8xi8, "L3">
    %8 = "arith.constant"() <{value = 8 : index}> : () -> index
    %9 = "arith.constant"() <{value = 8 : index}> : () -> index
    %10 = "arith.constant"() <{value = 64 : index}> : () -> index
    %11 = "snax.alloc"(%10, %8, %9) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %12 = "builtin.unrealized_conversion_cast"(%11) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %13 = "arith.constant"() <{value = 8 : index}> : () -> index
    %14 = "arith.constant"() <{value = 8 : index}> : () -> index
    %15 = "arith.constant"() <{value = 64 : index}> : () -> index
    %16 = "snax.alloc"(%15, %13, %14) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %17 = "builtin.unrealized_conversion_cast"(%16) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %18 = "arith.constant"() <{value = 8 : index}> : () -> index
    %19 = "arith.constant"() <{value = 8 : index}> : () -> index
    %20 = "arith.constant"() <{value = 64 : index}> : () -> index
    %21 = "snax.alloc"(%20, %18, %19) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %22 = "builtin.unrealized_conversion_cast"(%21) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">
    "memref.copy"(%1, %22) : (memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L3">, memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">) -> ()
    "memref.copy"(%0, %17) : (memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L3">, memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%17, %22, %12) <{patterns = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg30: !dart.stream<i8>, %arg31: !dart.stream<i8>, %arg32: !dart.stream<i8>):
      %23 = "dart.generic"(%arg30, %arg31) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg33: i8, %arg34: i8, %arg35: i8):
        %24 = "kernel.mac"(%arg33, %arg34) : (i8, i8) -> i8
        "dart.yield"(%24) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%23) : (!dart.stream<i8>) -> ()
    }) : (memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">, memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    %25 = "arith.constant"() <{value = 8 : index}> : () -> index
    %26 = "arith.constant"() <{value = 16 : index}> : () -> index
    %27 = "arith.constant"() <{value = 128 : index}> : () -> index
    %28 = "snax.alloc"(%27, %25, %26) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %29 = "builtin.unrealized_conversion_cast"(%28) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %30 = "arith.constant"() <{value = 8 : index}> : () -> index
    %31 = "arith.constant"() <{value = 16 : index}> : () -> index
    %32 = "arith.constant"() <{value = 128 : index}> : () -> index
    %33 = "snax.alloc"(%32, %30, %31) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %34 = "builtin.unrealized_conversion_cast"(%33) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>, "L1">
    "memref.copy"(%2, %34) : (memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>, "L3">, memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%12, %34, %29) <{patterns = [affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, ((d0 * 8) + d2))>, affine_map<(d0, d1, d2, d3) -> (d1, ((d0 * 8) + d2))>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: !dart.stream<i8>, %arg25: !dart.stream<i8>, %arg26: !dart.stream<i8>):
      %35 = "dart.generic"(%arg24, %arg25) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg27: i8, %arg28: i8, %arg29: i8):
        %36 = "kernel.mac"(%arg27, %arg28) : (i8, i8) -> i8
        "dart.yield"(%36) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%35) : (!dart.stream<i8>) -> ()
    }) : (memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> ()
    %37 = "arith.constant"() <{value = 8 : index}> : () -> index
    %38 = "arith.constant"() <{value = 32 : index}> : () -> index
    %39 = "arith.constant"() <{value = 256 : index}> : () -> index
    %40 = "snax.alloc"(%39, %37, %38) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %41 = "builtin.unrealized_conversion_cast"(%40) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x32xi8, #tsl.tsl<[8] -> (8), [4, 8] -> (64, 1)>, "L1">
    %42 = "arith.constant"() <{value = 16 : index}> : () -> index
    %43 = "arith.constant"() <{value = 32 : index}> : () -> index
    %44 = "arith.constant"() <{value = 512 : index}> : () -> index
    %45 = "snax.alloc"(%44, %42, %43) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %46 = "builtin.unrealized_conversion_cast"(%45) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>, "L1">
    "memref.copy"(%3, %46) : (memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>, "L3">, memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%29, %46, %41) <{patterns = [affine_map<(d0, d1, d2, d3, d4) -> (d2, ((d1 * 8) + d4))>, affine_map<(d0, d1, d2, d3, d4) -> (((d1 * 8) + d4), ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3, d4) -> (d2, ((d0 * 8) + d3))>], accelerator = "snax_gemmx", tiles = [[]], bounds = [4 : index, 2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: !dart.stream<i8>, %arg19: !dart.stream<i8>, %arg20: !dart.stream<i8>):
      %47 = "dart.generic"(%arg18, %arg19) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg21: i8, %arg22: i8, %arg23: i8):
        %48 = "kernel.mac"(%arg21, %arg22) : (i8, i8) -> i8
        "dart.yield"(%48) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%47) : (!dart.stream<i8>) -> ()
    }) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>, "L1">, memref<8x32xi8, #tsl.tsl<[8] -> (8), [4, 8] -> (64, 1)>, "L1">) -> ()
    %49 = "arith.constant"() <{value = 8 : index}> : () -> index
    %50 = "arith.constant"() <{value = 16 : index}> : () -> index
    %51 = "arith.constant"() <{value = 128 : index}> : () -> index
    %52 = "snax.alloc"(%51, %49, %50) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %53 = "builtin.unrealized_conversion_cast"(%52) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %54 = "arith.constant"() <{value = 32 : index}> : () -> index
    %55 = "arith.constant"() <{value = 16 : index}> : () -> index
    %56 = "arith.constant"() <{value = 512 : index}> : () -> index
    %57 = "snax.alloc"(%56, %54, %55) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %58 = "builtin.unrealized_conversion_cast"(%57) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>, "L1">
    "memref.copy"(%4, %58) : (memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>, "L3">, memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%41, %58, %53) <{patterns = [affine_map<(d0, d1, d2, d3, d4) -> (d2, ((d1 * 8) + d4))>, affine_map<(d0, d1, d2, d3, d4) -> (((d1 * 8) + d4), ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3, d4) -> (d2, ((d0 * 8) + d3))>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 4 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: !dart.stream<i8>, %arg13: !dart.stream<i8>, %arg14: !dart.stream<i8>):
      %59 = "dart.generic"(%arg12, %arg13) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg15: i8, %arg16: i8, %arg17: i8):
        %60 = "kernel.mac"(%arg15, %arg16) : (i8, i8) -> i8
        "dart.yield"(%60) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%59) : (!dart.stream<i8>) -> ()
    }) : (memref<8x32xi8, #tsl.tsl<[8] -> (8), [4, 8] -> (64, 1)>, "L1">, memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> ()
    %61 = "arith.constant"() <{value = 8 : index}> : () -> index
    %62 = "arith.constant"() <{value = 8 : index}> : () -> index
    %63 = "arith.constant"() <{value = 64 : index}> : () -> index
    %64 = "snax.alloc"(%63, %61, %62) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %65 = "builtin.unrealized_conversion_cast"(%64) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %66 = "arith.constant"() <{value = 16 : index}> : () -> index
    %67 = "arith.constant"() <{value = 8 : index}> : () -> index
    %68 = "arith.constant"() <{value = 128 : index}> : () -> index
    %69 = "snax.alloc"(%68, %66, %67) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %70 = "builtin.unrealized_conversion_cast"(%69) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    "memref.copy"(%5, %70) : (memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%53, %70, %65) <{patterns = [affine_map<(d0, d1, d2, d3) -> (d1, ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3) -> (((d0 * 8) + d3), d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg6: !dart.stream<i8>, %arg7: !dart.stream<i8>, %arg8: !dart.stream<i8>):
      %71 = "dart.generic"(%arg6, %arg7) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg9: i8, %arg10: i8, %arg11: i8):
        %72 = "kernel.mac"(%arg9, %arg10) : (i8, i8) -> i8
        "dart.yield"(%72) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%71) : (!dart.stream<i8>) -> ()
    }) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    %73 = "memref.get_global"() <{name = @_static_const_0}> : () -> memref<8x8xi8, "L3">
    %74 = "arith.constant"() <{value = 8 : index}> : () -> index
    %75 = "arith.constant"() <{value = 8 : index}> : () -> index
    %76 = "arith.constant"() <{value = 64 : index}> : () -> index
    %77 = "snax.alloc"(%76, %74, %75) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %78 = "builtin.unrealized_conversion_cast"(%77) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">
    %79 = "arith.constant"() <{value = 8 : index}> : () -> index
    %80 = "arith.constant"() <{value = 8 : index}> : () -> index
    %81 = "arith.constant"() <{value = 64 : index}> : () -> index
    %82 = "snax.alloc"(%81, %79, %80) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %83 = "builtin.unrealized_conversion_cast"(%82) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    "memref.copy"(%6, %78) : (memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L3">, memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%65, %78, %83) <{patterns = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg0: !dart.stream<i8>, %arg1: !dart.stream<i8>, %arg2: !dart.stream<i8>):
      %84 = "dart.generic"(%arg0, %arg1) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg3: i8, %arg4: i8, %arg5: i8):
        %85 = "kernel.mac"(%arg3, %arg4) : (i8, i8) -> i8
        "dart.yield"(%85) : (i8) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>) -> !dart.stream<i8>
      "dart.yield"(%84) : (!dart.stream<i8>) -> ()
    }) : (memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>, "L1">, memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "memref.copy"(%83, %73) : (memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi8, "L3">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "func.return"(%73, %7) : (memref<8x8xi8, "L3">, memref<8x8xi8, "L3">) -> ()
  }) : () -> ()
  "accfg.accelerator"() <{barrier = 1044 : i32, fields = {K = 1025 : i32, M = 1027 : i32, N = 1026 : i32, a_address_remap = 975 : i32, a_bound_0 = 963 : i32, a_bound_1 = 964 : i32, a_bound_2 = 965 : i32, a_bound_3 = 966 : i32, a_bound_4 = 967 : i32, a_bound_5 = 968 : i32, a_ptr_high = 961 : i32, a_ptr_low = 960 : i32, a_sstride_0 = 962 : i32, a_transpose = 1019 : i32, a_tstride_0 = 969 : i32, a_tstride_1 = 970 : i32, a_tstride_2 = 971 : i32, a_tstride_3 = 972 : i32, a_tstride_4 = 973 : i32, a_tstride_5 = 974 : i32, b_address_remap = 985 : i32, b_bound_0 = 979 : i32, b_bound_1 = 980 : i32, b_bound_2 = 981 : i32, b_ptr_high = 977 : i32, b_ptr_low = 976 : i32, b_sstride_0 = 978 : i32, b_transpose = 1020 : i32, b_tstride_0 = 982 : i32, b_tstride_1 = 983 : i32, b_tstride_2 = 984 : i32, bypassSIMD = 1042 : i32, c_address_remap = 995 : i32, c_bound_0 = 989 : i32, c_bound_1 = 990 : i32, c_bound_2 = 991 : i32, c_ptr_high = 987 : i32, c_ptr_low = 986 : i32, c_sstride_0 = 988 : i32, c_tstride_0 = 992 : i32, c_tstride_1 = 993 : i32, c_tstride_2 = 994 : i32, csr0 = 1029 : i32, csr1 = 1030 : i32, d_address_remap = 1006 : i32, d_bound_0 = 1000 : i32, d_bound_1 = 1001 : i32, d_bound_2 = 1002 : i32, d_broadcast = 1021 : i32, d_channel_mask = 1007 : i32, d_ptr_high = 997 : i32, d_ptr_low = 996 : i32, d_sstride_0 = 998 : i32, d_sstride_1 = 999 : i32, d_tstride_0 = 1003 : i32, d_tstride_1 = 1004 : i32, d_tstride_2 = 1005 : i32, e_address_remap = 1018 : i32, e_bound_0 = 1012 : i32, e_bound_1 = 1013 : i32, e_bound_2 = 1014 : i32, e_ptr_high = 1009 : i32, e_ptr_low = 1008 : i32, e_sstride_0 = 1010 : i32, e_sstride_1 = 1011 : i32, e_tstride_0 = 1015 : i32, e_tstride_1 = 1016 : i32, e_tstride_2 = 1017 : i32, mult_0 = 1033 : i32, mult_1 = 1034 : i32, mult_2 = 1035 : i32, mult_3 = 1036 : i32, mult_4 = 1037 : i32, mult_5 = 1038 : i32, mult_6 = 1039 : i32, mult_7 = 1040 : i32, shift_0 = 1031 : i32, shift_1 = 1032 : i32, subtractions = 1028 : i32, temporal_loop_bound = 1041 : i32}, launch_fields = {launch_gemmx = 1043 : i32, launch_streamer = 1022 : i32}, name = @snax_gemmx}> {streamer_config = #snax.streamer_config<r[opts=t-a, temp=n-n-n-n-n-n, spat=8], r[opts=t-a, temp=n-n-n, spat=8], w[opts=a, temp=r-n-n, spat=8], r[opts=c-a-b, temp=r-n-n, spat=8-4], w[opts=a, temp=r-n-n, spat=8-4]>} : () -> ()
  "memref.global"() <{sym_name = "_static_const_0", type = memref<8x8xi8>, initial_value = dense<77> : tensor<8x8xi8>, sym_visibility = "private"}> : () -> ()
  "memref.global"() <{sym_name = "__constant_8x8xi8_transformed", type = memref<8x8xi8, #tsl.tsl<[8] -> (8), [8] -> (1)>>, initial_value = dense<[[44, -81, -11, 64, -61, 123, 67, -25], [-119, 83, -107, 114, -92, -41, -58, 88], [-40, 12, -70, 65, 102, -89, -41, 46], [-40, -47, 37, -103, -51, -56, -119, 20], [-13, 80, 115, 69, 126, -49, 47, 64], [-46, -29, 88, 49, 115, -99, 19, 19], [14, 39, -96, 65, -119, 57, -1, -96], [-97, 74, 116, 23, 35, 126, 75, -14]]> : tensor<8x8xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_8x8xi8_0_transformed", type = memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>>, initial_value = dense<[[55, -90, 58, -93, 14, -60, -28, -105], [-100, 104, -97, -26, -29, -122, 52, 79], [-94, 116, -8, -9, -75, 68, 104, 13], [0, -111, -127, -117, 12, -81, -50, -11], [0, -49, -63, 46, -7, -1, 15, -43], [36, 4, 103, -46, 42, 116, 20, -80], [-75, -23, 41, -37, -44, 3, 99, -79], [5, -86, -71, 0, 75, 76, 58, -59]]> : tensor<8x8xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_8x16xi8_transformed", type = memref<8x16xi8, #tsl.tsl<[8] -> (1), [16] -> (8)>>, initial_value = dense<"0x294DE241AAA86D3C23F0BEA4F3C80BF94067238A38937CF6DF155ED63CDFD6F54549FBAB68C84D3DDEFF43E8CD1AF9D38080D28B9E42ED21F10A2E829878CBE832F263B3FD343820A4AB14D082C39064223A51A0836C187BB0FFB236DEBD1D7BDD971B00628E15F9033B8EA6EBE0EEC6E202A9938D849955AAF9BA2EF043509F"> : tensor<8x16xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_16x32xi8_transformed", type = memref<16x32xi8, #tsl.tsl<[2, 8] -> (64, 1), [4, 8] -> (128, 8)>>, initial_value = dense<"0x8D3DA97EE59CF827C74517D00C6BF4DC3857033EAC51372D18ABAE08F5E9C09ACFA05A3D7D3A4BCAA98B3201C2005CB492E8EC51EF56246EA85483F0DBBF9931BB42713C9C1E2D4CD0BC09DBC449694F1A1036EF9A5304E2FCB80023608739DA23F2D3D37815DDB3BA6DF8CCED65DB6631172492335C11AEEA9851F149082350360A9FA3D590A05B4F3689F827EA2AB38B6B0ADBA7248E6326259B284BDE56E9EFFD2DF416989C92DD1C47A41EF494F579EF2730113F52A20168BD994643C4B3498414CA352B42BDACE4F56245AE143C8D6C706121802DAFF9B1832B07E8397AC6D7FE03FD334FE8A69EAA0CDEA6F70027B6C164C8D9240A081994BA76CAE94B5F82D5C347B3961EF69BE1E792086335AC53AC7CDC38FABA5859A2A3ABDBD32BFD1722F2D3DD07B798B5D89E31FB487CC3B3A19DA96EBD7C522E0571DDD70D928D94A401D4733E0D78E1C4F1076284C707E5500043FB71DE5039F0A755D7728678172F985BE04D2D961B0A3AECD31E75789D6DA4C39AED1ECF21E8E3E64ED78F6F1468A12E20852D8335A412151380D76A9D809149C808414CC34B5DD9474FC666A3A2D472D74F6AA3A7457D608D35B55609FE825BBA0BB07EC935C5C9D184DE59F35EC5D4A0622988B5DB06C7F3232663F7AB83D346C9B58633BF625FE15A2B51D61FF9802C37D24776142805BB9A075487463CDBB9F65C59E98921EB3296C1"> : tensor<16x32xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_32x16xi8_transformed", type = memref<32x16xi8, #tsl.tsl<[4, 8] -> (64, 1), [2, 8] -> (256, 8)>>, initial_value = dense<"0x292140F31FF70504C28C4506D125AF91F260D8C2A3FF3B45DC69A2DC6D012A3FCED04F5C730543DE65C283E67A460A185B483CE5080C720376736EFB7EDAB9C5E1F6C9DAD7E994AD4EA01231348A5EB671A2846EB08C1C8007F3879D42E8C80A35D70383E66192436BFCB0CA89251906AE19CCD48227185B702EA56AF420A7E32B811DF80F1D0C49F68A89923FDA66D40086F3D9656707F464FD488DA5163465ED86055EBB13D0B8E9E6F4DCF1051DBE4226356CDFA4803861CB6BE9E0D357B04ED0ED014361A5EE211BBB7D56DEEF4504AFF01DBC6E3FF6106F250565251A1364F2C4507AFE596FC78B3566DD58D996BE578D78299006ED97CEE528A8E3580BE4FD254599CA5B281F0A2BED957BD9245DF053C92D3603BA325AD8E465CEFD317C1BC63656BE4E372E3814CD10C8D218DDF8061519474521F2C19C7B6EAD3A127472F4C1ECFA6A39FFEB6DF769A1FB4621B4B094D91A9C13D169ED50FCE318221DEE52AAF55912B28CC03372E4B24372F6CCB19CDAD82CE6AEF6C71AC45253940CF2415570FF4F118FD5AB865064CAF5F6FECFE4A0857C39A1F2BEB0BEDC03891732CCA80A4CBD6C0CB3AF1A0C1AC33E0582CC1EDD7110CFA6CC1505C0D3F066DB6793163C27778BEE9EEB9E511D4F2187DA8893337CE5077DA2E084A8C1A9F796B65114BB97119AE2D145EA6A4850B01E23FCCA5E00F04776C7E4FB9DD7AB6F"> : tensor<32x16xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_16x8xi8_transformed", type = memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>>, initial_value = dense<"0x3688BB4FDED1FAE4E08A24D4021A3944E48505F2D34611EFD2A68589032FE562D726A677CDE2598B15E423048B9574627E41D8310D1455E182F53198642A376E13865AF9870B780BF0D983473343C44E8BD8DA8FE64DF5D2616D2ECE79FAF35999A6FA2333B7566CE1B31D341DD83983DF9082E7377BDD25AD1705F6F17CE607"> : tensor<16x8xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_8x8xi8_1_transformed", type = memref<8x8xi8, #tsl.tsl<[8] -> (1), [8] -> (8)>>, initial_value = dense<[[-99, -25, -43, 51, -100, -103, 16, -56], [-50, 63, 88, -47, -70, -25, -127, 77], [-117, 59, -55, 55, 85, -117, -112, -22], [73, 1, 8, -113, -50, -38, -95, -45], [-117, 18, 82, 3, -17, 109, -95, 114], [-112, 53, 11, -22, -63, 34, 44, 32], [-68, -100, 92, 88, -52, 1, 102, 23], [-5, 64, -11, 85, -117, 126, -88, -60]]> : tensor<8x8xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
}) : () -> ()
