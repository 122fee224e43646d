// RUN: xdsl-opt -p memplan-bufferize,memplan-assign-offsets --split-input-file %s | filecheck %s

// All parts of a tensor are there before a border is put around it. In the place of the bordered tensor they would take 96 bytes beside
// the 256 of %w; on their own they take 64, and the border is made when %w is gone.

func.func @grows_before_its_border(%a: tensor<64xf32>, %z: f32) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<64xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %s0 = tensor.extract_slice %w[0] [8] [1] : tensor<64xf32> to tensor<8xf32>
  %p0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s0 : tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %t = tensor.empty() : tensor<16xf32>
  %t0 = tensor.insert_slice %p0 into %t[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %s1 = tensor.extract_slice %w[32] [8] [1] : tensor<64xf32> to tensor<8xf32>
  %p1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s1 : tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %t1 = tensor.insert_slice %p1 into %t0[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %r = tensor.pad %t1 low[4] high[4] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<16xf32> to tensor<24xf32>
  return %r : tensor<24xf32>
}

// CHECK:       memplan.arena @memory alignment 64 size 320
// CHECK:       memplan.buffer @memory size 256 alignment 64 lifetime <0 : i64, 3 : i64> offset 0 : memref<64xf32>
// CHECK:       memplan.buffer @memory size 64 alignment 64 lifetime <1 : i64, 6 : i64> offset 256 : memref<16xf32>
// CHECK:       memplan.buffer @memory size 96 alignment 64 lifetime <3 : i64, 6 : i64> offset 0 : memref<24xf32>

// -----

// Zeros between the elements are written when these are there already: a transposed convolution needs no other room for them.

func.func @between(%a: tensor<2x3xf32>) -> tensor<5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %x = linalg.exp ins(%a : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = tensor.empty() : tensor<5x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<5x6xf32>) -> tensor<5x6xf32>
  %r = tensor.insert_slice %x into %f[1, 0] [2, 3] [2, 2] : tensor<2x3xf32> into tensor<5x6xf32>
  func.return %r : tensor<5x6xf32>
}

// CHECK-LABEL: func.func @between
// CHECK:       [[R:%.+]] = memplan.buffer @memory size 120
// CHECK:       [[X:%.+]] = memref.subview [[R]][1, 0] [2, 3] [2, 2]
// CHECK-NEXT:  linalg.exp ins(%a : memref<2x3xf32>) outs([[X]]
// CHECK:       memref.subview [[R]][0, 0] [1, 6] [1, 1]
// CHECK:       memref.subview [[R]][4, 0] [1, 6] [1, 1]
// CHECK:       memref.subview [[R]][2, 0] [1, 6] [1, 1]
// CHECK:       memref.subview [[R]][1, 5] [2, 1] [2, 1]
// CHECK:       memref.subview [[R]][1, 1] [2, 2] [2, 2]
// CHECK-NOT:   memref.subview
// CHECK:       func.return

// -----

// Two rows are made in each iteration, one behind the other whatever the iteration: both are written where they belong.

func.func @pairs(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %d = tensor.empty() : tensor<8x4xf32>
  %r = scf.for %i = %zero to %four step %one iter_args(%o = %d) -> (tensor<8x4xf32>) {
    %even = arith.muli %i, %two : index
    %odd = arith.addi %even, %one : index
    %e = tensor.empty() : tensor<1x4xf32>
    %x = tensor.extract_slice %a[%even, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %p = linalg.exp ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = tensor.insert_slice %p into %o[%even, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    %y = tensor.extract_slice %a[%odd, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %q = linalg.exp ins(%y : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %t = tensor.insert_slice %q into %s[%odd, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %t : tensor<8x4xf32>
  }
  func.return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @pairs
// CHECK: memplan.buffer {{.*}} size 128
// CHECK-NOT: memplan.buffer
// CHECK-NOT: memref.copy

// -----

// Two rows at places that nobody knows may be the same: the first is made elsewhere.

func.func @any_two(%a: tensor<8x4xf32>, %m: index, %n: index) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %d = linalg.exp ins(%a : tensor<8x4xf32>) outs(%a : tensor<8x4xf32>) -> tensor<8x4xf32>
  %x = tensor.extract_slice %a[%m, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %p = linalg.exp ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %s = tensor.insert_slice %p into %d[%m, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  %q = linalg.log ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %t = tensor.insert_slice %q into %s[%n, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  func.return %t : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @any_two
// CHECK: memplan.buffer {{.*}} size 128
// CHECK: memplan.buffer {{.*}} size 16
// CHECK: memref.copy

// -----

// Rows that are kept, and a row with a border, are put together when %w is gone. In the place of what is put together the row would take
// 448 bytes beside the 512 of %w, and its border one of its own 128 beside the 320 that are kept: only the row is made elsewhere.

func.func @begins_with_a_border(%a: tensor<5x16xf32>, %b: tensor<8x16xf32>) -> tensor<7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<5x16xf32>
  %k = linalg.exp ins(%a : tensor<5x16xf32>) outs(%e0 : tensor<5x16xf32>) -> tensor<5x16xf32>
  %e1 = tensor.empty() : tensor<8x16xf32>
  %w = linalg.exp ins(%b : tensor<8x16xf32>) outs(%e1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = tensor.extract_slice %w[3, 1] [1, 14] [1, 1] : tensor<8x16xf32> to tensor<1x14xf32>
  %e2 = tensor.empty() : tensor<1x14xf32>
  %x = linalg.exp ins(%s : tensor<1x14xf32>) outs(%e2 : tensor<1x14xf32>) -> tensor<1x14xf32>
  %p = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x14xf32> to tensor<2x16xf32>
  %r = tensor.concat dim(0) %k, %p : (tensor<5x16xf32>, tensor<2x16xf32>) -> tensor<7x16xf32>
  func.return %r : tensor<7x16xf32>
}

// CHECK:       memplan.arena @memory alignment 64 size 888
// CHECK-LABEL: func.func @begins_with_a_border
