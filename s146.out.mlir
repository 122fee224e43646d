builtin.module {
  "memref.global"() <{sym_name = "L1", type = memref<768xi8>, initial_value, sym_visibility = "private", alignment = 16 : i64}> : () -> ()
  "memref.global"() <{sym_name = "DDR", type = memref<768xi8>, initial_value, sym_visibility = "private", alignment = 64 : i64}> : () -> ()
  func.func @main(%arg0: memref<1x4x16xbf16>, %arg1: memref<1x64xf32>, %arg2: memref<64x1xf32>, %arg3: memref<8x64xf32>, %arg4: memref<64xf32>, %arg5: memref<f32>, %arg6: memref<64x3xf32>) -> memref<64x3xf32> {
    %0 = memref.get_global @L1 : memref<768xi8>
    %1 = memref.get_global @DDR : memref<768xi8>
    %2 = arith.constant 0 : index
    %3 = arith.constant -2.000000e+00 : f32
    %4 = memref.view %0[%2][] : memref<768xi8> to memref<64x3xf32>
    %arg6_1 = memref.subview %arg6[0, 0] [64, 3] [1, 1] : memref<64x3xf32> to memref<64x3xf32, strided<[3, 1]>>
    "memref.copy"(%arg6_1, %4) : (memref<64x3xf32, strided<[3, 1]>>, memref<64x3xf32>) -> ()
    %5 = memref.view %0[%2][] : memref<768xi8> to memref<1xf32>
    %6 = memref.reinterpret_cast %5 to offset: [0], sizes: [1, 64, 8], strides: [0, 0, 0] : memref<1xf32> to memref<1x64x8xf32, strided<[0, 0, 0]>>
    %7 = arith.constant 1.000000e+00 : f32
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x64x8xf32, strided<[0, 0, 0]>>) outs(%4 : memref<64x3xf32>) {
    ^bb0(%8: f32, %9: f32):
      %10 = arith.mulf %3, %7 : f32
      %11 = arith.addf %9, %10 : f32
      linalg.yield %11 : f32
    }
    %12 = memref.view %1[%2][] : memref<768xi8> to memref<64x3xf32>
    %13 = memref.subview %12[0, 0] [64, 3] [1, 1] : memref<64x3xf32> to memref<64x3xf32, strided<[3, 1]>>
    "memref.copy"(%4, %13) : (memref<64x3xf32>, memref<64x3xf32, strided<[3, 1]>>) -> ()
    func.return %12 : memref<64x3xf32>
  }
}