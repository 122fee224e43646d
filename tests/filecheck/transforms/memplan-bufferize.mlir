// RUN: xdsl-opt %s --split-input-file -p memplan-bufferize | filecheck %s

// Two elementwise operations share one tensor.empty: the first needs a buffer, as the argument must
// not be written, the second works in place. 4 elements of 4 bytes are 16 bytes.
// CHECK:       func.func @in_place(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT:    %y = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 2 : i64> : memref<4xf32>
// CHECK-NEXT:    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    linalg.exp ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    func.return %y : memref<4xf32>
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// Both producers write straight into their slices of the concatenation: 16 elements of 4 bytes.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @concat(%x: memref<2x4xf32>, %y: memref<2x4xf32>) -> memref<4x4xf32> {
// CHECK-NEXT:     %0 = memplan.buffer @memory size 64 alignment 64 lifetime <0 : i64, 2 : i64> : memref<4x4xf32>
// CHECK-NEXT:     %1 = memref.subview %0[0, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK-NEXT:     linalg.exp ins(%x : memref<2x4xf32>) outs(%1 : memref<2x4xf32, strided<[4, 1]>>)
// CHECK-NEXT:     %2 = memref.subview %0[2, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
// CHECK-NEXT:     linalg.exp ins(%y : memref<2x4xf32>) outs(%2 : memref<2x4xf32, strided<[4, 1], offset: 8>>)
// CHECK-NEXT:     func.return %0 : memref<4x4xf32>
// CHECK-NEXT:   }
func.func @concat(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %a = linalg.exp ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %b = linalg.exp ins(%y : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// The producer writes the interior, offset 1 of 6 elements; only the border is filled.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @pad(%x: memref<4xf32>) -> memref<6xf32> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = memplan.buffer @memory size 24 alignment 64 lifetime <0 : i64, 3 : i64> : memref<6xf32>
// CHECK-NEXT:     %1 = memref.subview %0[1] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 1>>
// CHECK-NEXT:     linalg.exp ins(%x : memref<4xf32>) outs(%1 : memref<4xf32, strided<[1], offset: 1>>)
// CHECK-NEXT:     %2 = memref.subview %0[0] [1] [1] : memref<6xf32> to memref<1xf32, strided<[1]>>
// CHECK-NEXT:     linalg.fill ins(%zero : f32) outs(%2 : memref<1xf32, strided<[1]>>)
// CHECK-NEXT:     %3 = memref.subview %0[5] [1] [1] : memref<6xf32> to memref<1xf32, strided<[1], offset: 5>>
// CHECK-NEXT:     linalg.fill ins(%zero : f32) outs(%3 : memref<1xf32, strided<[1], offset: 5>>)
// CHECK-NEXT:     func.return %0 : memref<6xf32>
// CHECK-NEXT:   }
func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// -----

// %a is read again after %b is made, so %b cannot take its place; %c can take that of %b.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @still_read(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT:     %a = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 3 : i64> : memref<4xf32>
// CHECK-NEXT:     linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
// CHECK-NEXT:     %b = memplan.buffer @memory size 16 alignment 64 lifetime <1 : i64, 3 : i64> : memref<4xf32>
// CHECK-NEXT:     linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
// CHECK-NEXT:     linalg.add ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
// CHECK-NEXT:     func.return %b : memref<4xf32>
// CHECK-NEXT:   }
func.func @still_read(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// The fill is repeated for each product instead of being copied.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @shared_fill(%x: memref<4x4xf32>) -> (memref<4x4xf32>, memref<4x4xf32>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = memplan.buffer @memory size 64 alignment 64 lifetime <0 : i64, 4 : i64> : memref<4x4xf32>
// CHECK-NEXT:     linalg.fill ins(%zero : f32) outs(%0 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
// CHECK-NEXT:     %1 = memplan.buffer @memory size 64 alignment 64 lifetime <2 : i64, 4 : i64> : memref<4x4xf32>
// CHECK-NEXT:     linalg.fill ins(%zero : f32) outs(%1 : memref<4x4xf32>)
// CHECK-NEXT:     linalg.matmul ins(%0, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%1 : memref<4x4xf32>)
// CHECK-NEXT:     func.return %0, %1 : memref<4x4xf32>, memref<4x4xf32>
// CHECK-NEXT:   }
func.func @shared_fill(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The argument must not be written: one copy before the loop, none inside.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @loop(%x: memref<4xf32>, %n: index) -> memref<4xf32> {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %0 = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 2 : i64> : memref<4xf32>
// CHECK-NEXT:     "memref.copy"(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT:     scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:       linalg.exp ins(%0 : memref<4xf32>) outs(%0 : memref<4xf32>)
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %0 : memref<4xf32>
// CHECK-NEXT:   }
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// An argument that may be written needs no buffer.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @writable(%x: memref<4xf32> {memplan.writable = true}) -> memref<4xf32> {
// CHECK-NEXT:     linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
// CHECK-NEXT:     func.return %x : memref<4xf32>
// CHECK-NEXT:   }
func.func @writable(%x: tensor<4xf32> {memplan.writable = true}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Nobody reads the index of the maximum: it is not computed.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @dead_result(%x: memref<4xf32>) -> memref<f32> {
// CHECK-NEXT:     %lowest = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %0 = memplan.buffer @memory size 4 alignment 64 lifetime <0 : i64, 2 : i64> : memref<f32>
// CHECK-NEXT:     memref.store %lowest, %0[] : memref<f32>
// CHECK-NEXT:     linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<4xf32>) outs(%0 : memref<f32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %max: f32):
// CHECK-NEXT:       %new = arith.maximumf %in, %max : f32
// CHECK-NEXT:       linalg.yield %new : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %0 : memref<f32>
// CHECK-NEXT:   }
func.func @dead_result(%x: tensor<4xf32>) -> tensor<f32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<i64>
  %f0 = linalg.fill ins(%lowest : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%f0, %f1 : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %new = arith.maximumf %in, %max : f32
    %greater = arith.cmpf ogt, %in, %max : f32
    %k = arith.select %greater, %j, %at : i64
    linalg.yield %new, %k : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#0 : tensor<f32>
}

// -----

// A constant of equal elements becomes a scalar, any other one a global that is only read.
// CHECK:        "memref.global"() <{sym_name = "memplan_constant_0", sym_visibility = "private", type = memref<2xf32>, initial_value = dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32>, constant, alignment = 64 : i64}> : () -> ()
// CHECK-NEXT:   memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @constants(%x: memref<2xf32>) -> memref<2xf32> {
// CHECK-NEXT:     %a = memplan.buffer @memory size 8 alignment 64 lifetime <0 : i64, 2 : i64> : memref<2xf32>
// CHECK-NEXT:     %0 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<2xf32>) outs(%a : memref<2xf32>) {
// CHECK-NEXT:     ^bb0(%1: f32, %2: f32):
// CHECK-NEXT:       %3 = arith.mulf %1, %0 : f32
// CHECK-NEXT:       linalg.yield %3 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %other = memref.get_global @memplan_constant_0 : memref<2xf32>
// CHECK-NEXT:     linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %other : memref<2xf32>, memref<2xf32>) outs(%a : memref<2xf32>) {
// CHECK-NEXT:     ^bb0(%4: f32, %5: f32, %6: f32):
// CHECK-NEXT:       %7 = arith.addf %4, %5 : f32
// CHECK-NEXT:       linalg.yield %7 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %a : memref<2xf32>
// CHECK-NEXT:   }
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %same = arith.constant dense<2.0> : tensor<2xf32>
  %other = arith.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %a = arith.mulf %x, %same : tensor<2xf32>
  %b = arith.addf %a, %other : tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// No element needs no byte.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func @empty_size(%x: memref<0xf32>) -> memref<0xf32> {
// CHECK-NEXT:     %y = memplan.buffer @memory size 0 alignment 64 lifetime <0 : i64, 1 : i64> : memref<0xf32>
// CHECK-NEXT:     linalg.exp ins(%x : memref<0xf32>) outs(%y : memref<0xf32>)
// CHECK-NEXT:     func.return %y : memref<0xf32>
// CHECK-NEXT:   }
func.func @empty_size(%x: tensor<0xf32>) -> tensor<0xf32> {
  %e = tensor.empty() : tensor<0xf32>
  %y = linalg.exp ins(%x : tensor<0xf32>) outs(%e : tensor<0xf32>) -> tensor<0xf32>
  return %y : tensor<0xf32>
}

// -----

// The second call overwrites what the first returned, so that is copied.
// CHECK:        memplan.arena @memory alignment 64
// CHECK-NEXT:   func.func private @callee(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT:     %y = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 1 : i64> : memref<4xf32>
// CHECK-NEXT:     linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:     func.return %y : memref<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @caller(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT:     %a = func.call @callee(%x) : (memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT:     %0 = memplan.buffer @memory size 16 alignment 64 lifetime <1 : i64, 3 : i64> : memref<4xf32>
// CHECK-NEXT:     "memref.copy"(%a, %0) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT:     %b = func.call @callee(%0) : (memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT:     func.return %b : memref<4xf32>
// CHECK-NEXT:   }
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// What is written into a memref of the caller is computed there, straight away.
// CHECK:       func.func @into_memref(%x: memref<4xf32>, %o: memref<4xf32>) {
// CHECK-NEXT:    linalg.exp ins(%x : memref<4xf32>) outs(%o : memref<4xf32>)
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @into_memref(%x: tensor<4xf32>, %o: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  "bufferization.materialize_in_destination"(%y, %o) <{restrict, writable}> : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// A window is there for its shape: of 224 * 224 elements one is in memory, at every index, 4 bytes instead of 200,704.
// CHECK:       func.func @window
// CHECK:         %w = memplan.buffer @memory size 4 alignment 64 lifetime <{{.*}}> : memref<224x224xf32, strided<[0, 0]>>
// CHECK-NEXT:    linalg.pooling_nchw_sum {{.*}} ins(%x, %w : memref<1x2x224x224xf32>, memref<224x224xf32, strided<[0, 0]>>)
func.func @window(%x: tensor<1x2x224x224xf32>) -> tensor<1x2x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x1x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %w = tensor.empty() : tensor<224x224xf32>
  %y = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w : tensor<1x2x224x224xf32>, tensor<224x224xf32>) outs(%f : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  func.return %y : tensor<1x2x1x1xf32>
}
