"builtin.module"() ({
  "func.func"() <{sym_name = "snax_cluster_core_idx", function_type = () -> i32, sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{sym_name = "streamer_add_tiled", function_type = (memref<128xi64, "L3">, memref<128xi64, "L3">, memref<128xi64, "L3">) -> (), sym_visibility = "public"}> ({
  ^bb0(%arg0: memref<128xi64, "L3">, %arg1: memref<128xi64, "L3">, %arg2: memref<128xi64, "L3">):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "func.call"() <{callee = @snax_cluster_core_idx}> : () -> i32
    %3 = "arith.cmpi"(%2, %0) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %4 = "arith.cmpi"(%2, %1) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %5 = "arith.constant"() <{value = 128 : index}> : () -> index
    %6 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %7 = "snax.alloc"(%6, %5) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %8 = "builtin.unrealized_conversion_cast"(%7) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    %9 = "arith.constant"() <{value = 128 : index}> : () -> index
    %10 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %11 = "snax.alloc"(%10, %9) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %12 = "builtin.unrealized_conversion_cast"(%11) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    %13 = "arith.constant"() <{value = 128 : index}> : () -> index
    %14 = "arith.constant"() <{value = 1024 : index}> : () -> index
    %15 = "snax.alloc"(%14, %13) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %16 = "builtin.unrealized_conversion_cast"(%15) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<128xi64, "L1">
    "scf.if"(%4) ({
      "memref.copy"(%arg0, %8) : (memref<128xi64, "L3">, memref<128xi64, "L1">) -> ()
      "memref.copy"(%arg1, %12) : (memref<128xi64, "L3">, memref<128xi64, "L1">) -> ()
      "snax.cluster_sync_op"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "memref.copy"(%16, %arg2) : (memref<128xi64, "L1">, memref<128xi64, "L3">) -> ()
      "snax.cluster_sync_op"() : () -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "scf.if"(%3) ({
      "snax.cluster_sync_op"() : () -> ()
      "linalg.generic"(%8, %12, %16) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], library_call = "snax_alu", operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg3: i64, %arg4: i64, %arg5: i64):
        %17 = "kernel.add"(%arg3, %arg4) : (i64, i64) -> i64
        "linalg.yield"(%17) : (i64) -> ()
      }) : (memref<128xi64, "L1">, memref<128xi64, "L1">, memref<128xi64, "L1">) -> ()
      "snax.cluster_sync_op"() : () -> ()
      "snax.cluster_sync_op"() : () -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "accfg.accelerator"() <{barrier = 981 : i32, fields = {a_bound_0 = 963 : i32, a_ptr_high = 961 : i32, a_ptr_low = 960 : i32, a_sstride_0 = 962 : i32, a_tstride_0 = 964 : i32, alu_mode = 978 : i32, b_bound_0 = 968 : i32, b_ptr_high = 966 : i32, b_ptr_low = 965 : i32, b_sstride_0 = 967 : i32, b_tstride_0 = 969 : i32, c_bound_0 = 973 : i32, c_ptr_high = 971 : i32, c_ptr_low = 970 : i32, c_sstride_0 = 972 : i32, c_tstride_0 = 974 : i32, loop_bound_alu = 979 : i32}, launch_fields = {launch_alu = 980 : i32, launch_streamer = 975 : i32}, name = @snax_alu}> {streamer_config = #snax.streamer_config<r[temp=n, spat=4], r[temp=n, spat=4], w[temp=n, spat=4]>} : () -> ()
}) : () -> ()
