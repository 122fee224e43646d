"builtin.module"() ({
  "func.func"() <{sym_name = "snax_cluster_core_idx", function_type = () -> i32, sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{sym_name = "streamer_add_tiled", function_type = (memref<128xi64, "L3">, memref<128xi64, "L3">, memref<128xi64, "L3">) -> (), sym_visibility = "public"}> ({
  ^bb0(%arg0: memref<128xi64, "L3">, %arg1: memref<128xi64, "L3">, %arg2: memref<128xi64, "L3">):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 16 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %4 = "func.call"() <{callee = @snax_cluster_core_idx}> : () -> i32
    %5 = "arith.cmpi"(%4, %2) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %6 = "arith.cmpi"(%4, %3) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %7 = "arith.constant"() <{value = 128 : index}> : () -> index
    %8 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %9 = "snax.alloc"(%8, %7) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %10 = "builtin.unrealized_conversion_cast"(%9) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    %11 = "arith.constant"() <{value = 128 : index}> : () -> index
    %12 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %13 = "snax.alloc"(%12, %11) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %14 = "builtin.unrealized_conversion_cast"(%13) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    %15 = "arith.constant"() <{value = 128 : index}> : () -> index
    %16 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %17 = "snax.alloc"(%16, %15) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %18 = "builtin.unrealized_conversion_cast"(%17) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    "snax.mcycle"() : () -> ()
    "scf.if"(%6) ({
      %19 = "arith.constant"() <{value = 1 : index}> : () -> index
      %20 = "arith.constant"() <{value = 8 : index}> : () -> index
      "scf.for"(%0, %20, %19) ({
      ^bb0(%arg8: index):
        %arg8_1 = "arith.muli"(%arg8, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        "snax.mcycle"() : () -> ()
        %21 = "memref.subview"(%arg0, %arg8_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L3">, index) -> memref<16xi64, strided<[1], offset: ?>, "L3">
        %22 = "memref.subview"(%arg1, %arg8_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L3">, index) -> memref<16xi64, strided<[1], offset: ?>, "L3">
        %23 = "memref.subview"(%10, %arg8_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        %24 = "memref.subview"(%14, %arg8_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        "memref.copy"(%21, %23) : (memref<16xi64, strided<[1], offset: ?>, "L3">, memref<16xi64, strided<[1], offset: ?>, "L1">) -> ()
        "memref.copy"(%22, %24) : (memref<16xi64, strided<[1], offset: ?>, "L3">, memref<16xi64, strided<[1], offset: ?>, "L1">) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "snax.mcycle"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      %25 = "arith.constant"() <{value = 1 : index}> : () -> index
      %26 = "arith.constant"() <{value = 8 : index}> : () -> index
      "scf.for"(%0, %26, %25) ({
      ^bb0(%arg7: index):
        %arg7_1 = "arith.muli"(%arg7, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        "snax.mcycle"() : () -> ()
        %27 = "memref.subview"(%arg2, %arg7_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L3">, index) -> memref<16xi64, strided<[1], offset: ?>, "L3">
        %28 = "memref.subview"(%18, %arg7_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        "memref.copy"(%28, %27) : (memref<16xi64, strided<[1], offset: ?>, "L1">, memref<16xi64, strided<[1], offset: ?>, "L3">) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "snax.mcycle"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "scf.if"(%5) ({
      "snax.cluster_sync_op"() : () -> ()
      "snax.mcycle"() : () -> ()
      %29 = "arith.constant"() <{value = 1 : index}> : () -> index
      %30 = "arith.constant"() <{value = 8 : index}> : () -> index
      "scf.for"(%0, %30, %29) ({
      ^bb0(%arg3: index):
        %arg3_1 = "arith.muli"(%arg3, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        "snax.mcycle"() : () -> ()
        %31 = "memref.subview"(%10, %arg3_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        %32 = "memref.subview"(%14, %arg3_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        %33 = "memref.subview"(%18, %arg3_1) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<128xi64, "L1">, index) -> memref<16xi64, strided<[1], offset: ?>, "L1">
        "linalg.generic"(%31, %32, %33) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], library_call = "snax_alu", operandSegmentSizes = array<i32: 2, 1>}> ({
        ^bb0(%arg4: i64, %arg5: i64, %arg6: i64):
          %34 = "kernel.add"(%arg4, %arg5) : (i64, i64) -> i64
          "linalg.yield"(%34) : (i64) -> ()
        }) : (memref<16xi64, strided<[1], offset: ?>, "L1">, memref<16xi64, strided<[1], offset: ?>, "L1">, memref<16xi64, strided<[1], offset: ?>, "L1">) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "snax.mcycle"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "accfg.accelerator"() <{barrier = 981 : i32, fields = {a_bound_0 = 963 : i32, a_ptr_high = 961 : i32, a_ptr_low = 960 : i32, a_sstride_0 = 962 : i32, a_tstride_0 = 964 : i32, alu_mode = 978 : i32, b_bound_0 = 968 : i32, b_ptr_high = 966 : i32, b_ptr_low = 965 : i32, b_sstride_0 = 967 : i32, b_tstride_0 = 969 : i32, c_bound_0 = 973 : i32, c_ptr_high = 971 : i32, c_ptr_low = 970 : i32, c_sstride_0 = 972 : i32, c_tstride_0 = 974 : i32, loop_bound_alu = 979 : i32}, launch_fields = {launch_alu = 980 : i32, launch_streamer = 975 : i32}, name = @snax_alu}> {streamer_config = #snax.streamer_config<r[temp=n, spat=4], r[temp=n, spat=4], w[temp=n, spat=4]>} : () -> ()
}) : () -> ()
