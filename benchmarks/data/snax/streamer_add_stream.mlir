"builtin.module"() ({
  "func.func"() <{sym_name = "streamer_add", function_type = (memref<16xi64, "L3">, memref<16xi64, "L3">, memref<16xi64, "L3">) -> (), sym_visibility = "public"}> ({
  ^bb0(%arg0: memref<16xi64, "L3">, %arg1: memref<16xi64, "L3">, %arg2: memref<16xi64, "L3">):
    %0 = "arith.constant"() <{value = 16 : index}> : () -> index
    %1 = "arith.constant"() <{value = 416 : index}> : () -> index
    %2 = "snax.alloc"(%1, %0) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %3 = "builtin.unrealized_conversion_cast"(%2) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">
    %4 = "arith.constant"() <{value = 16 : index}> : () -> index
    %5 = "arith.constant"() <{value = 416 : index}> : () -> index
    %6 = "snax.alloc"(%5, %4) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %7 = "builtin.unrealized_conversion_cast"(%6) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">
    %8 = "arith.constant"() <{value = 16 : index}> : () -> index
    %9 = "arith.constant"() <{value = 416 : index}> : () -> index
    %10 = "snax.alloc"(%9, %8) <{memory_space = "L1", alignment = 64 : i64}> : (index, index) -> !llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>
    %11 = "builtin.unrealized_conversion_cast"(%10) : (!llvm.struct<(!llvm.ptr, !llvm.ptr, i32, !llvm.array<1 x i32>, !llvm.array<1 x i32>)>) -> memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">
    "memref.copy"(%arg1, %7) : (memref<16xi64, "L3">, memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">) -> ()
    "memref.copy"(%arg0, %3) : (memref<16xi64, "L3">, memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "dart.schedule"(%3, %7, %11) <{patterns = [affine_map<(d0, d1) -> (((d0 * 4) + d1))>, affine_map<(d0, d1) -> (((d0 * 4) + d1))>, affine_map<(d0, d1) -> (((d0 * 4) + d1))>], accelerator = "snax_alu", tiles = [[]], bounds = [4 : index, 4 : index], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: !dart.stream<i64>, %arg4: !dart.stream<i64>, %arg5: !dart.stream<i64>):
      %12 = "dart.generic"(%arg3, %arg4) <{library_call = "snax_alu"}> ({
      ^bb0(%arg6: i64, %arg7: i64, %arg8: i64):
        %13 = "kernel.add"(%arg6, %arg7) : (i64, i64) -> i64
        "dart.yield"(%13) : (i64) -> ()
      }) : (!dart.stream<i64>, !dart.stream<i64>) -> !dart.stream<i64>
      "dart.yield"(%12) : (!dart.stream<i64>) -> ()
    }) : (memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">, memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">, memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">) -> ()
    "snax.cluster_sync_op"() : () -> ()
    "memref.copy"(%11, %arg2) : (memref<16xi64, #tsl.tsl<[4, 4] -> (16, 1)>, "L1">, memref<16xi64, "L3">) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "accfg.accelerator"() <{barrier = 981 : i32, fields = {a_bound_0 = 963 : i32, a_ptr_high = 961 : i32, a_ptr_low = 960 : i32, a_sstride_0 = 962 : i32, a_tstride_0 = 964 : i32, alu_mode = 978 : i32, b_bound_0 = 968 : i32, b_ptr_high = 966 : i32, b_ptr_low = 965 : i32, b_sstride_0 = 967 : i32, b_tstride_0 = 969 : i32, c_bound_0 = 973 : i32, c_ptr_high = 971 : i32, c_ptr_low = 970 : i32, c_sstride_0 = 972 : i32, c_tstride_0 = 974 : i32, loop_bound_alu = 979 : i32}, launch_fields = {launch_alu = 980 : i32, launch_streamer = 975 : i32}, name = @snax_alu}> {streamer_config = #snax.streamer_config<r[temp=n, spat=4], r[temp=n, spat=4], w[temp=n, spat=4]>} : () -> ()
}) : () -> ()
