"builtin.module"() ({
  "memref.global"() <{alignment = 64 : i64, constant, initial_value = dense<"0xD0A6FFFF96FBFFFF5B740000CF4E0000D3400000C29E0000B20900004A94FFFF78EBFFFFEF1E0000774B00002303000030F2FFFFDBFEFFFF39090000A592FFFF708DFFFF92DCFFFF61D2FFFF204DFFFF3659000041D1FFFF6510000018FCFFFFEEAAFFFFDBF3FFFF6B2EFFFF235F0000B268000049E2FFFFDD6F00009789FFFFBADEFFFF6DBF000081140000978A000026590000A93B00005E11000030490000C95300009D4500003BFDFFFFA19AFFFFF10D00008E4A0000D8320000B72A0000D0C7FFFF1B310000A00A00004056FFFFB6550000B1E9FFFFC2500000896500007A63000032340000D82D00007AA4FFFF8DC6FFFFB86E0000D35D0000EBCCFFFFE21300002C1B00005C080000F4DBFFFFBDEFFFFF06FDFFFF59C2FFFF452900004B2E0000EF4A00004CEEFFFF575DFFFF009EFFFF682000004AA1FFFF7CFCFFFF6E140000E8320000196A00001CBCFFFF225400003EB0FFFF521B0000D9280000105F0000284100007BAEFFFF8FE5FFFF921B000013410000F639000022DAFFFF32C2FFFF07FEFFFF371000006E950000F0DFFFFFB8A70000F4F0FFFF32A7FFFF149CFFFFB21100000FD7FFFF31F7FFFF2149000066D6FFFF29030000390100007111000012C2FFFFE99FFFFF303900008083FFFF5A61000025EEFFFF3EB7FFFFEB9CFFFF0CA9FFFF08E6FFFF0BD2FFFF9A32000030B4FFFF3EB3FFFFADEAFFFF7C6F0000EBF5FFFF7779FFFFD8420000FEF8FFFF477CFFFF308BFFFF31060000A0EDFFFFEEF5FFFFA265000051040000DC3900008C0E0000888BFFFFA0920000B90800003AB1FFFFF5BCFFFF4AE7FFFFDF8DFFFFD3F4FFFF77C7FFFF5C6BFFFF36ADFFFFA793FFFFB697FFFF0E83000037050000A688FFFF71CFFFFFA4E4FFFF1C460000CE8AFFFFE5FFFFFF6A6200000B110000C3DEFFFFC373FFFFFEDDFFFFE2CBFFFFC9F6FFFF4F45FFFFDAF4FFFF236100001BFCFFFFBAD2FFFF39640000DF610000033A00001B010000CAEFFFFFAE7B0000F78BFFFFDDF4FFFF167E000081360000948B00009A0C0000A7ECFFFFA28AFFFF9B74000074F9FFFF554E00007F10000001DAFFFFD72300008F730000C8C4FFFF781700001E21FFFF2A7FFFFFB4170000CFEFFFFF30B6FFFF3A9BFFFF7A5D0000E0D8FFFF1B69FFFFAA3D000078C5FFFF1F3F0000868600005C100000AACFFFFFFF580000575B0000DB2C0000E4D3FFFF763300002D3D0000BFB7FFFFDB440000BF67000049390000E275FFFF155600000E090000EFECFFFFE3D9FFFF0D090000C66AFFFF9EC7FFFF94A5FFFF1FB6FFFFEEC4FFFF7531000030D2000032BAFFFF53030000231A000004480000053B0000923B0000331A000019160000995500002D0F000013D8FFFFA9440000B5F0FFFF8B730000CC3E00009FE1FFFFDAE1FFFF228800001E130000A8590000"> : tensor<16x16xi32>, sym_name = "__constant_16x16xi32", sym_visibility = "private", type = memref<16x16xi32>}> : () -> ()
  "func.func"() <{sym_name = "snax_main", function_type = () -> (memref<16x16xi32, "L3">, memref<16x16xi32, "L3">)}> ({
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 8 : index}> : () -> index
    %2 = "memref.get_global"() <{name = @__constant_16x16xi8_transformed}> : () -> memref<16x16xi8, #tsl.tsl<[2, 8] -> (128, 8), [2, 8] -> (64, 1)>, "L3">
    %3 = "memref.get_global"() <{name = @__constant_16x16xi8_0_transformed}> : () -> memref<16x16xi8, #tsl.tsl<[2, 8] -> (64, 1), [2, 8] -> (128, 8)>, "L3">
    %4 = "memref.get_global"() <{name = @__constant_16x16xi32}> : () -> memref<16x16xi32, "L3">
    %5 = "memref.get_global"() <{name = @_static_const_0}> : () -> memref<16x16xi32, "L3">
    %6 = "arith.constant"() <{value = 8 : index}> : () -> index
    %7 = "arith.constant"() <{value = 16 : index}> : () -> index
    %8 = "arith.constant"() <{value = 128 : index}> : () -> index
    %9 = "snax.alloc"(%8, %6, %7) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %10 = "builtin.unrealized_conversion_cast"(%9) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %11 = "arith.constant"() <{value = 8 : index}> : () -> index
    %12 = "arith.constant"() <{value = 16 : index}> : () -> index
    %13 = "arith.constant"() <{value = 128 : index}> : () -> index
    %14 = "snax.alloc"(%13, %11, %12) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %15 = "builtin.unrealized_conversion_cast"(%14) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %16 = "arith.constant"() <{value = 16 : index}> : () -> index
    %17 = "arith.constant"() <{value = 8 : index}> : () -> index
    %18 = "arith.constant"() <{value = 128 : index}> : () -> index
    %19 = "snax.alloc"(%18, %16, %17) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %20 = "builtin.unrealized_conversion_cast"(%19) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    %21 = "arith.constant"() <{value = 16 : index}> : () -> index
    %22 = "arith.constant"() <{value = 8 : index}> : () -> index
    %23 = "arith.constant"() <{value = 128 : index}> : () -> index
    %24 = "snax.alloc"(%23, %21, %22) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %25 = "builtin.unrealized_conversion_cast"(%24) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    %26 = "arith.constant"() <{value = 8 : index}> : () -> index
    %27 = "arith.constant"() <{value = 8 : index}> : () -> index
    %28 = "arith.constant"() <{value = 256 : index}> : () -> index
    %29 = "snax.alloc"(%28, %26, %27) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %30 = "builtin.unrealized_conversion_cast"(%29) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %31 = "arith.constant"() <{value = 8 : index}> : () -> index
    %32 = "arith.constant"() <{value = 8 : index}> : () -> index
    %33 = "arith.constant"() <{value = 256 : index}> : () -> index
    %34 = "snax.alloc"(%33, %31, %32) <{memory_space = "L1", alignment = 64 : i64}> : (index, index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>
    %35 = "builtin.unrealized_conversion_cast"(%34) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<2 x i32>, !llvm.array<2 x i32>)>) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %36 = "arith.constant"() <{value = 1 : index}> : () -> index
    %37 = "arith.constant"() <{value = 4 : index}> : () -> index
    %arg0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %38 = "arith.constant"() <{value = 2 : index}> : () -> index
    %arg0_1 = "arith.divui"(%arg0, %38) : (index, index) -> index
    %arg0_2 = "arith.muli"(%arg0_1, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %arg1 = "arith.remui"(%arg0, %38) : (index, index) -> index
    %arg1_1 = "arith.muli"(%arg1, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %39 = "memref.subview"(%2, %arg0_2) <{static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 8, 16>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (128, 8), [2, 8] -> (64, 1)>, "L3">, index) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">
    %40 = "memref.subview"(%3, %arg1_1) <{static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 16, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (64, 1), [2, 8] -> (128, 8)>, "L3">, index) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">
    %41 = "arith.constant"() <{value = 2 : index}> : () -> index
    %42 = "arith.constant"() <{value = 0 : index}> : () -> index
    %43 = "arith.remui"(%arg0, %41) : (index, index) -> index
    %44 = "arith.cmpi"(%42, %43) <{predicate = 0 : i64}> : (index, index) -> i1
    %45 = "arith.select"(%44, %10, %15) : (i1, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %46 = "arith.constant"() <{value = 2 : index}> : () -> index
    %47 = "arith.constant"() <{value = 0 : index}> : () -> index
    %48 = "arith.remui"(%arg0, %46) : (index, index) -> index
    %49 = "arith.cmpi"(%47, %48) <{predicate = 0 : i64}> : (index, index) -> i1
    %50 = "arith.select"(%49, %20, %25) : (i1, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    %51 = "arith.constant"() <{value = 2 : index}> : () -> index
    %52 = "arith.constant"() <{value = 0 : index}> : () -> index
    %53 = "arith.remui"(%arg0, %51) : (index, index) -> index
    %54 = "arith.cmpi"(%52, %53) <{predicate = 0 : i64}> : (index, index) -> i1
    %55 = "arith.select"(%54, %30, %35) : (i1, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    "memref.copy"(%40, %50) : (memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> ()
    "memref.copy"(%39, %45) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    %arg0_3 = "arith.constant"() <{value = 1 : index}> : () -> index
    %56 = "arith.constant"() <{value = 2 : index}> : () -> index
    %arg0_4 = "arith.divui"(%arg0_3, %56) : (index, index) -> index
    %arg0_5 = "arith.muli"(%arg0_4, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %arg1_2 = "arith.remui"(%arg0_3, %56) : (index, index) -> index
    %arg1_3 = "arith.muli"(%arg1_2, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %57 = "memref.subview"(%2, %arg0_5) <{static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 8, 16>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (128, 8), [2, 8] -> (64, 1)>, "L3">, index) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">
    %58 = "memref.subview"(%3, %arg1_3) <{static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 16, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (64, 1), [2, 8] -> (128, 8)>, "L3">, index) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">
    %59 = "arith.constant"() <{value = 2 : index}> : () -> index
    %60 = "arith.constant"() <{value = 0 : index}> : () -> index
    %61 = "arith.remui"(%arg0_3, %59) : (index, index) -> index
    %62 = "arith.cmpi"(%60, %61) <{predicate = 0 : i64}> : (index, index) -> i1
    %63 = "arith.select"(%62, %10, %15) : (i1, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %64 = "arith.constant"() <{value = 2 : index}> : () -> index
    %65 = "arith.constant"() <{value = 0 : index}> : () -> index
    %66 = "arith.remui"(%arg0_3, %64) : (index, index) -> index
    %67 = "arith.cmpi"(%65, %66) <{predicate = 0 : i64}> : (index, index) -> i1
    %68 = "arith.select"(%67, %20, %25) : (i1, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    %69 = "arith.constant"() <{value = 2 : index}> : () -> index
    %70 = "arith.remui"(%arg0_3, %69) : (index, index) -> index
    "memref.copy"(%58, %68) : (memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> ()
    "memref.copy"(%57, %63) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> ()
    "dart.schedule"(%45, %50, %55) <{patterns = [affine_map<(d0, d1, d2, d3) -> (d1, ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3) -> (((d0 * 8) + d3), d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg2: !dart.stream<i8>, %arg3: !dart.stream<i8>, %arg4: !dart.stream<i32>):
      %71 = "dart.generic"(%arg2, %arg3, %0, %0) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg5: i8, %arg6: i8, %arg7: i32, %arg8: i32, %arg9: i32):
        %72 = "kernel.qmac"(%arg5, %arg6, %arg7, %arg8) : (i8, i8, i32, i32) -> i32
        "dart.yield"(%72) : (i32) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>, i32, i32) -> !dart.stream<i32>
      "dart.yield"(%71) : (!dart.stream<i32>) -> ()
    }) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    %73 = "arith.constant"() <{value = 2 : index}> : () -> index
    %74 = "arith.constant"() <{value = 2 : index}> : () -> index
    %75 = "arith.constant"() <{value = 2 : index}> : () -> index
    %76 = "arith.constant"() <{value = 2 : index}> : () -> index
    %77 = "arith.constant"() <{value = 2 : index}> : () -> index
    %78 = "arith.constant"() <{value = 2 : index}> : () -> index
    %79 = "arith.constant"() <{value = 0 : index}> : () -> index
    %80 = "arith.constant"() <{value = 1 : index}> : () -> index
    %81 = "arith.constant"() <{value = 2 : index}> : () -> index
    %82 = "arith.constant"() <{value = 2 : index}> : () -> index
    %83 = "arith.constant"() <{value = 0 : index}> : () -> index
    %84 = "arith.constant"() <{value = 2 : index}> : () -> index
    %85 = "arith.constant"() <{value = 0 : index}> : () -> index
    %86 = "arith.constant"() <{value = 2 : index}> : () -> index
    %87 = "arith.constant"() <{value = 0 : index}> : () -> index
    %88 = "arith.constant"() <{value = 2 : index}> : () -> index
    %89 = "arith.constant"() <{value = 2 : index}> : () -> index
    %90 = "arith.constant"() <{value = 0 : index}> : () -> index
    %91 = "arith.constant"() <{value = 2 : index}> : () -> index
    %92 = "arith.constant"() <{value = 0 : index}> : () -> index
    %93 = "arith.constant"() <{value = 2 : index}> : () -> index
    "scf.for"(%73, %37, %36) ({
    ^bb0(%arg0_6: index):
      %arg0_7 = "arith.subi"(%arg0_6, %74) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %arg0_8 = "arith.divui"(%arg0_7, %75) : (index, index) -> index
      %arg0_9 = "arith.muli"(%arg0_8, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %arg1_4 = "arith.remui"(%arg0_7, %75) : (index, index) -> index
      %arg1_5 = "arith.muli"(%arg1_4, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %94 = "memref.subview"(%5, %arg0_9, %arg1_5) <{static_offsets = array<i64: -9223372036854775808, -9223372036854775808>, static_sizes = array<i64: 8, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (memref<16x16xi32, "L3">, index, index) -> memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">
      %95 = "arith.remui"(%arg0_7, %76) : (index, index) -> index
      %96 = "arith.remui"(%arg0_7, %77) : (index, index) -> index
      %97 = "arith.remui"(%arg0_7, %78) : (index, index) -> index
      %98 = "arith.cmpi"(%79, %97) <{predicate = 0 : i64}> : (index, index) -> i1
      %99 = "arith.select"(%98, %30, %35) : (i1, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
      %arg0_10 = "arith.subi"(%arg0_6, %80) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %arg1_6 = "arith.remui"(%arg0_10, %81) : (index, index) -> index
      %100 = "arith.remui"(%arg0_10, %82) : (index, index) -> index
      %101 = "arith.cmpi"(%83, %100) <{predicate = 0 : i64}> : (index, index) -> i1
      %102 = "arith.select"(%101, %10, %15) : (i1, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
      %103 = "arith.remui"(%arg0_10, %84) : (index, index) -> index
      %104 = "arith.cmpi"(%85, %103) <{predicate = 0 : i64}> : (index, index) -> i1
      %105 = "arith.select"(%104, %20, %25) : (i1, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
      %106 = "arith.remui"(%arg0_10, %86) : (index, index) -> index
      %107 = "arith.cmpi"(%87, %106) <{predicate = 0 : i64}> : (index, index) -> i1
      %108 = "arith.select"(%107, %30, %35) : (i1, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
      %arg0_11 = "arith.divui"(%arg0_6, %88) : (index, index) -> index
      %arg0_12 = "arith.muli"(%arg0_11, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %arg1_7 = "arith.remui"(%arg0_6, %88) : (index, index) -> index
      %arg1_8 = "arith.muli"(%arg1_7, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %109 = "memref.subview"(%2, %arg0_12) <{static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 8, 16>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (128, 8), [2, 8] -> (64, 1)>, "L3">, index) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">
      %110 = "memref.subview"(%3, %arg1_8) <{static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 16, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<16x16xi8, #tsl.tsl<[2, 8] -> (64, 1), [2, 8] -> (128, 8)>, "L3">, index) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">
      %111 = "arith.remui"(%arg0_6, %89) : (index, index) -> index
      %112 = "arith.cmpi"(%90, %111) <{predicate = 0 : i64}> : (index, index) -> i1
      %113 = "arith.select"(%112, %10, %15) : (i1, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
      %114 = "arith.remui"(%arg0_6, %91) : (index, index) -> index
      %115 = "arith.cmpi"(%92, %114) <{predicate = 0 : i64}> : (index, index) -> i1
      %116 = "arith.select"(%115, %20, %25) : (i1, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
      %117 = "arith.remui"(%arg0_6, %93) : (index, index) -> index
      "memref.copy"(%110, %116) : (memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L3">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> ()
      "memref.copy"(%109, %113) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L3">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> ()
      "dart.schedule"(%102, %105, %108) <{patterns = [affine_map<(d0, d1, d2, d3) -> (d1, ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3) -> (((d0 * 8) + d3), d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg2_1: !dart.stream<i8>, %arg3_1: !dart.stream<i8>, %arg4_1: !dart.stream<i32>):
        %118 = "dart.generic"(%arg2_1, %arg3_1, %0, %0) <{library_call = "snax_gemmx"}> ({
        ^bb0(%arg5_1: i8, %arg6_1: i8, %arg7_1: i32, %arg8_1: i32, %arg9_1: i32):
          %119 = "kernel.qmac"(%arg5_1, %arg6_1, %arg7_1, %arg8_1) : (i8, i8, i32, i32) -> i32
          "dart.yield"(%119) : (i32) -> ()
        }) : (!dart.stream<i8>, !dart.stream<i8>, i32, i32) -> !dart.stream<i32>
        "dart.yield"(%118) : (!dart.stream<i32>) -> ()
      }) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
      "memref.copy"(%99, %94) : (memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">) -> ()
      "snax.cluster_sync_op"() : () -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %arg0_13 = "arith.constant"() <{value = 3 : index}> : () -> index
    %120 = "arith.constant"() <{value = 2 : index}> : () -> index
    %arg0_14 = "arith.divui"(%arg0_13, %120) : (index, index) -> index
    %arg0_15 = "arith.muli"(%arg0_14, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %arg1_9 = "arith.remui"(%arg0_13, %120) : (index, index) -> index
    %arg1_10 = "arith.muli"(%arg1_9, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %121 = "memref.subview"(%5, %arg0_15, %arg1_10) <{static_offsets = array<i64: -9223372036854775808, -9223372036854775808>, static_sizes = array<i64: 8, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (memref<16x16xi32, "L3">, index, index) -> memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">
    %122 = "arith.constant"() <{value = 2 : index}> : () -> index
    %123 = "arith.constant"() <{value = 0 : index}> : () -> index
    %124 = "arith.remui"(%arg0_13, %122) : (index, index) -> index
    %125 = "arith.cmpi"(%123, %124) <{predicate = 0 : i64}> : (index, index) -> i1
    %126 = "arith.select"(%125, %10, %15) : (i1, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">) -> memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">
    %127 = "arith.constant"() <{value = 2 : index}> : () -> index
    %128 = "arith.constant"() <{value = 0 : index}> : () -> index
    %129 = "arith.remui"(%arg0_13, %127) : (index, index) -> index
    %130 = "arith.cmpi"(%128, %129) <{predicate = 0 : i64}> : (index, index) -> i1
    %131 = "arith.select"(%130, %20, %25) : (i1, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">) -> memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">
    %132 = "arith.constant"() <{value = 2 : index}> : () -> index
    %133 = "arith.constant"() <{value = 0 : index}> : () -> index
    %134 = "arith.remui"(%arg0_13, %132) : (index, index) -> index
    %135 = "arith.cmpi"(%133, %134) <{predicate = 0 : i64}> : (index, index) -> i1
    %136 = "arith.select"(%135, %30, %35) : (i1, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    %arg0_16 = "arith.constant"() <{value = 2 : index}> : () -> index
    %137 = "arith.constant"() <{value = 2 : index}> : () -> index
    %arg0_17 = "arith.divui"(%arg0_16, %137) : (index, index) -> index
    %arg0_18 = "arith.muli"(%arg0_17, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %arg1_11 = "arith.remui"(%arg0_16, %137) : (index, index) -> index
    %arg1_12 = "arith.muli"(%arg1_11, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %138 = "memref.subview"(%5, %arg0_18, %arg1_12) <{static_offsets = array<i64: -9223372036854775808, -9223372036854775808>, static_sizes = array<i64: 8, 8>, static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (memref<16x16xi32, "L3">, index, index) -> memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">
    %139 = "arith.constant"() <{value = 2 : index}> : () -> index
    %140 = "arith.remui"(%arg0_16, %139) : (index, index) -> index
    %141 = "arith.constant"() <{value = 2 : index}> : () -> index
    %142 = "arith.remui"(%arg0_16, %141) : (index, index) -> index
    %143 = "arith.constant"() <{value = 2 : index}> : () -> index
    %144 = "arith.constant"() <{value = 0 : index}> : () -> index
    %145 = "arith.remui"(%arg0_16, %143) : (index, index) -> index
    %146 = "arith.cmpi"(%144, %145) <{predicate = 0 : i64}> : (index, index) -> i1
    %147 = "arith.select"(%146, %30, %35) : (i1, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">
    "dart.schedule"(%126, %131, %136) <{patterns = [affine_map<(d0, d1, d2, d3) -> (d1, ((d0 * 8) + d3))>, affine_map<(d0, d1, d2, d3) -> (((d0 * 8) + d3), d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>], accelerator = "snax_gemmx", tiles = [[]], bounds = [2 : index, 8 : index, 8 : index, 8 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg2_2: !dart.stream<i8>, %arg3_2: !dart.stream<i8>, %arg4_2: !dart.stream<i32>):
      %148 = "dart.generic"(%arg2_2, %arg3_2, %0, %0) <{library_call = "snax_gemmx"}> ({
      ^bb0(%arg5_2: i8, %arg6_2: i8, %arg7_2: i32, %arg8_2: i32, %arg9_2: i32):
        %149 = "kernel.qmac"(%arg5_2, %arg6_2, %arg7_2, %arg8_2) : (i8, i8, i32, i32) -> i32
        "dart.yield"(%149) : (i32) -> ()
      }) : (!dart.stream<i8>, !dart.stream<i8>, i32, i32) -> !dart.stream<i32>
      "dart.yield"(%148) : (!dart.stream<i32>) -> ()
    }) : (memref<8x16xi8, #tsl.tsl<[8] -> (8), [2, 8] -> (64, 1)>, "L1">, memref<16x8xi8, #tsl.tsl<[2, 8] -> (64, 1), [8] -> (8)>, "L1">, memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">) -> ()
    "memref.copy"(%147, %138) : (memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "memref.copy"(%136, %121) : (memref<8x8xi32, #tsl.tsl<[8] -> (8), [8] -> (1)>, "L1">, memref<8x8xi32, strided<[16, 1], offset: ?>, "L3">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "func.return"(%5, %4) : (memref<16x16xi32, "L3">, memref<16x16xi32, "L3">) -> ()
  }) : () -> ()
  "accfg.accelerator"() <{barrier = 1044 : i32, fields = {K = 1025 : i32, M = 1027 : i32, N = 1026 : i32, a_address_remap = 975 : i32, a_bound_0 = 963 : i32, a_bound_1 = 964 : i32, a_bound_2 = 965 : i32, a_bound_3 = 966 : i32, a_bound_4 = 967 : i32, a_bound_5 = 968 : i32, a_ptr_high = 961 : i32, a_ptr_low = 960 : i32, a_sstride_0 = 962 : i32, a_transpose = 1019 : i32, a_tstride_0 = 969 : i32, a_tstride_1 = 970 : i32, a_tstride_2 = 971 : i32, a_tstride_3 = 972 : i32, a_tstride_4 = 973 : i32, a_tstride_5 = 974 : i32, b_address_remap = 985 : i32, b_bound_0 = 979 : i32, b_bound_1 = 980 : i32, b_bound_2 = 981 : i32, b_ptr_high = 977 : i32, b_ptr_low = 976 : i32, b_sstride_0 = 978 : i32, b_transpose = 1020 : i32, b_tstride_0 = 982 : i32, b_tstride_1 = 983 : i32, b_tstride_2 = 984 : i32, bypassSIMD = 1042 : i32, c_address_remap = 995 : i32, c_bound_0 = 989 : i32, c_bound_1 = 990 : i32, c_bound_2 = 991 : i32, c_ptr_high = 987 : i32, c_ptr_low = 986 : i32, c_sstride_0 = 988 : i32, c_tstride_0 = 992 : i32, c_tstride_1 = 993 : i32, c_tstride_2 = 994 : i32, csr0 = 1029 : i32, csr1 = 1030 : i32, d_address_remap = 1006 : i32, d_bound_0 = 1000 : i32, d_bound_1 = 1001 : i32, d_bound_2 = 1002 : i32, d_broadcast = 1021 : i32, d_channel_mask = 1007 : i32, d_ptr_high = 997 : i32, d_ptr_low = 996 : i32, d_sstride_0 = 998 : i32, d_sstride_1 = 999 : i32, d_tstride_0 = 1003 : i32, d_tstride_1 = 1004 : i32, d_tstride_2 = 1005 : i32, e_address_remap = 1018 : i32, e_bound_0 = 1012 : i32, e_bound_1 = 1013 : i32, e_bound_2 = 1014 : i32, e_ptr_high = 1009 : i32, e_ptr_low = 1008 : i32, e_sstride_0 = 1010 : i32, e_sstride_1 = 1011 : i32, e_tstride_0 = 1015 : i32, e_tstride_1 = 1016 : i32, e_tstride_2 = 1017 : i32, mult_0 = 1033 : i32, mult_1 = 1034 : i32, mult_2 = 1035 : i32, mult_3 = 1036 : i32, mult_4 = 1037 : i32, mult_5 = 1038 : i32, mult_6 = 1039 : i32, mult_7 = 1040 : i32, shift_0 = 1031 : i32, shift_1 = 1032 : i32, subtractions = 1028 : i32, temporal_loop_bound = 1041 : i32}, launch_fields = {launch_gemmx = 1043 : i32, launch_streamer = 1022 : i32}, name = @snax_gemmx}> {streamer_config = #snax.streamer_config<r[opts=t-a, temp=n-n-n-n-n-n, spat=8], r[opts=t-a, temp=n-n-n, spat=8], w[opts=a, temp=r-n-n, spat=8], r[opts=c-a-b, temp=r-n-n, spat=8-4], w[opts=a, temp=r-n-n, spat=8-4]>} : () -> ()
  "memref.global"() <{sym_name = "_static_const_0", type = memref<16x16xi32>, initial_value = dense<77> : tensor<16x16xi32>, sym_visibility = "private"}> : () -> ()
  "memref.global"() <{sym_name = "__constant_16x16xi8_transformed", type = memref<16x16xi8, #tsl.tsl<[2, 8] -> (128, 8), [2, 8] -> (64, 1)>>, initial_value = dense<"0xA818434283CDBEF1F7B9C6657BE9D3FD12798C06D0A37BB2A0772D1F1FC390D837597BFCC0C906DA7073CC3D623B94DF89BB01F79E9951A2C08EC1E1E2D3A1B31BCD93C9A055713A26A6348358EF196A38BD2A58E18A1957601E22336648C7B9A050ECD75807D60341D087D85A9F2D63A3D837F4ABA20B4FCA5FB9A812C145A637948AB3E25F61E42794991B0F019B2A2F8672C7392844267460E13C140C4B812ADE6F95AFF61874A27AD4D2A8469AC87E82DA67E773B20BCD454112D7BE239D52F4A2933BFED2B08809C6BC1484E314EDB706236585317C8429870B7BE3A1073687EFBC2B841E77B60342D0EA4877C3C8A5A3EBE432EF958AC5D7183EE7B891"> : tensor<16x16xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
  "memref.global"() <{sym_name = "__constant_16x16xi8_0_transformed", type = memref<16x16xi8, #tsl.tsl<[2, 8] -> (64, 1), [2, 8] -> (128, 8)>>, initial_value = dense<"0x35EE30DC065F3AEE6A7BD34EA1DB17B8F87C4A9A29499AA0EBDEF882920870E4D031F17130ED60CF8A1B13CDF783FB04B34FD84C7436DCB22970F1CD7BEF5295FA0CAD2F0FB4F39D42D05706F1D416ADC98ADB1C8C2C0569E9EA8F62BFB07F071A84AE486E6E1428D01AE1F397E1761D044D2E1D9627091306FA27204C5827CC5B6A05A8F7D2CDE8E17C3400102D4390E143E6A7AB2B0DDFC89198546739E55791F807C4544F28EBD06E0D26D7602EAABE22DD77622CD3A928C83BF8D14674E1630EDA44F81BAC2CEEC3DFEA1B1DE31E33EC8B27955E97AC9086BA38B15DA7241BB93091EF9759F309A2FC437D111AC9FFA44848EE2C08153AE2CB4D178ABE8E"> : tensor<16x16xi8>, sym_visibility = "private", constant, alignment = 64 : i64}> : () -> ()
}) {transform.with_named_sequence} : () -> ()
