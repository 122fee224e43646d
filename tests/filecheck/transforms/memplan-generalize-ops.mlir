// RUN: xdsl-opt -p memplan-generalize-ops --split-input-file %s | filecheck %s

// CHECK: %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) attrs =  {note = 1 : i64} {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf
func.func @map(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.map { arith.addf } ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) {note = 1 : i64}
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
func.func @on_memrefs(%a: memref<4xf32>) {
  linalg.map { math.exp } ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}

// -----

// CHECK: %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: math.exp
func.func @elementwise(%a: tensor<6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%a : tensor<6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: arith.constant 0xffc00000 : f32
// CHECK: iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x6xf32>)
// CHECK: arith.maxnumf
// CHECK: ins(%a, %{{.*}} : tensor<4x6xf32>, tensor<4xf32>) outs(%o : tensor<4x6xf32>)
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: arith.addf
// CHECK: %r = linalg.generic
// CHECK: arith.divf
func.func @softmax(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// CHECK: linalg.softmax
func.func @left_alone(%a: memref<4x6xf32>) {
  linalg.softmax dimension(0) ins(%a : memref<4x6xf32>) outs(%a : memref<4x6xf32>)
  return
}

// -----

// A product with ones reads the scalar: nothing is filled for the matrix. Which window a filter has only the filter tells, so its shape stays.

// CHECK: @ones
// CHECK: %p = linalg.generic
// CHECK-SAME: ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK: %[[WINDOW:.*]] = tensor.empty() : tensor<3x2x3x3xf32>
// CHECK: %c = linalg.generic
// CHECK-SAME: ins(%i, %[[WINDOW]] : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>)
func.func @ones(%x: tensor<4x8xf32>, %i: tensor<1x2x4x4xf32>, %o: tensor<4x16xf32>, %q: tensor<1x3x2x2xf32>) -> (tensor<4x16xf32>, tensor<1x3x2x2xf32>) {
  %w = arith.constant dense<1.0> : tensor<8x16xf32>
  %k = arith.constant dense<1.0> : tensor<3x2x3x3xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%i, %k : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) outs(%q : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  return %p, %c : tensor<4x16xf32>, tensor<1x3x2x2xf32>
}

// -----

// Padding that constants tell, as tosa-to-tensor writes it; what is not known stays.

// CHECK: @padded
// CHECK: tensor.pad %x low[0, 1] high[2, 1] {
// CHECK: tensor.pad %x low[%n, 1] high[0, 1] {
func.func @padded(%x: tensor<4x6xi8>, %n: index) -> (tensor<6x8xi8>, tensor<?x8xi8>) {
  %zp = arith.constant -3 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = tensor.pad %x low[%c0, %c1] high[%c2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zp : i8
  } : tensor<4x6xi8> to tensor<6x8xi8>
  %q = tensor.pad %x low[%n, %c1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zp : i8
  } : tensor<4x6xi8> to tensor<?x8xi8>
  return %p, %q : tensor<6x8xi8>, tensor<?x8xi8>
}

// -----

// Room is a tensor.empty, whoever asks for it; a copy and a memory that is named stay.

// CHECK: @rooms
// CHECK-NEXT: tensor.empty() : tensor<4xf32>
// CHECK-NEXT: tensor.empty(%n) : tensor<?xf32>
// CHECK-NEXT: bufferization.alloc_tensor() copy(%x)
// CHECK-NEXT: bufferization.alloc_tensor() {memory_space = 1 : i64}
func.func @rooms(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = bufferization.alloc_tensor() : tensor<4xf32>
  %b = bufferization.alloc_tensor(%n) : tensor<?xf32>
  %c = bufferization.alloc_tensor() copy(%x) : tensor<4xf32>
  %d = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// 8 bits of 32-bit sums, computed where a product reads them: made once, and the product reads 8 bits. Rows of the scale are read as
// they are.

// CHECK: @narrowed
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<64x8xi32>, tensor<8xi32>) outs(%{{.*}} : tensor<64x8xi8>) {
// CHECK-NEXT: ^bb0(%[[S:.*]]: i32, %[[M:.*]]: i32, %{{.*}}: i8):
// CHECK-NEXT: arith.muli %[[S]], %[[M]] : i32
// CHECK-NEXT: arith.trunci
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[Q]], %w : tensor<64x8xi8>, tensor<16x8xi8>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8, %{{.*}}: i8, %{{.*}}: i32):
// CHECK-NEXT: arith.extsi %[[X]] : i8 to i32
func.func @narrowed(%s: tensor<64x8xi32>, %m: tensor<8xi32>, %w: tensor<16x8xi8>, %o: tensor<64x16xi32>) -> tensor<64x16xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %m, %w : tensor<64x8xi32>, tensor<8xi32>, tensor<16x8xi8>) outs(%o : tensor<64x16xi32>) {
  ^bb0(%in: i32, %by: i32, %v: i8, %out: i32):
    %a = arith.muli %in, %by : i32
    %b = arith.trunci %a : i32 to i8
    %c = arith.extsi %b : i8 to i32
    %d = arith.extsi %v : i8 to i32
    %e = arith.muli %c, %d : i32
    %f = arith.addi %out, %e : i32
    linalg.yield %f : i32
  } -> tensor<64x16xi32>
  return %r : tensor<64x16xi32>
}

// -----

// What a sum widens stays in it: 8-bit weights become floats where they are read. So does what is read elsewhere, may divide by what
// the sum does not read, or is computed from two places.

// CHECK: @widened
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
func.func @widened(%s: tensor<64x8xf32>, %w: tensor<16x8xi8>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %w : tensor<64x8xf32>, tensor<16x8xi8>) outs(%o : tensor<64x16xf32>) {
  ^bb0(%in: f32, %v: i8, %out: f32):
    %a = arith.sitofp %v : i8 to f32
    %b = arith.mulf %in, %a : f32
    %c = arith.truncf %b : f32 to f16
    %d = arith.extf %c : f16 to f32
    %e = arith.addf %out, %d : f32
    linalg.yield %e : f32
  } -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// -----

// CHECK: @divided
// CHECK: linalg.generic
// CHECK-SAME: "reduction"
func.func @divided(%s: tensor<64xi32>, %w: tensor<2xi32>, %o: tensor<32xi32>) -> tensor<32xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%s, %w : tensor<64xi32>, tensor<2xi32>) outs(%o : tensor<32xi32>) {
  ^bb0(%in: i32, %v: i32, %out: i32):
    %a = arith.divsi %in, %in : i32
    %b = arith.trunci %a : i32 to i8
    %c = arith.extsi %b : i8 to i32
    %e = arith.addi %out, %c : i32
    linalg.yield %e : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// -----

// The window of a pooling is not read and stays: it tells how long the loop is.

// CHECK: @window
// CHECK: -> tensor<16xi8>
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %w : tensor<16xi8>, tensor<2xi8>)
func.func @window(%s: tensor<16xi32>, %w: tensor<2xi8>, %o: tensor<15xi32>) -> tensor<15xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%s, %w : tensor<16xi32>, tensor<2xi8>) outs(%o : tensor<15xi32>) {
  ^bb0(%in: i32, %v: i8, %out: i32):
    %b = arith.trunci %in : i32 to i8
    %c = arith.extsi %b : i8 to i32
    %e = arith.addi %out, %c : i32
    linalg.yield %e : i32
  } -> tensor<15xi32>
  return %r : tensor<15xi32>
}

// -----

// A fill that was made generic is one again, whether its body or an operand says the scalar. What writes a part, or counts, is none.

// CHECK: @fills
// CHECK: linalg.fill {note = 1 : i64} ins(%z : i32) outs(%e : tensor<4x6xi32>)
// CHECK: linalg.fill ins(%z : i32) outs(%e : tensor<4x6xi32>)
// CHECK: linalg.generic
// CHECK: linalg.index
// CHECK-NOT: linalg.fill
func.func @fills() -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xindex>) {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x6xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xi32>) attrs = {note = 1 : i64} {
  ^bb0(%out: i32):
    linalg.yield %z : i32
  } -> tensor<4x6xi32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%z : i32) outs(%e : tensor<4x6xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<4x6xi32>
  %f = tensor.empty() : tensor<4x6xindex>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x6xindex>) {
  ^bb0(%out: index):
    %n = linalg.index 1 : index
    linalg.yield %n : index
  } -> tensor<4x6xindex>
  return %a, %b, %c : tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xindex>
}

// -----

// So is a transpose. What stays in its place, or is computed, is none.

// CHECK: @transposes
// CHECK: linalg.transpose ins(%x : tensor<4x6x8xf32>) outs(%e : tensor<6x8x4xf32>) permutation = [1, 2, 0]
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NOT: linalg.transpose
func.func @transposes(%x: tensor<4x6x8xf32>, %e: tensor<6x8x4xf32>) -> (tensor<6x8x4xf32>, tensor<6x8x4xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x6x8xf32>) outs(%e : tensor<6x8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x6x8xf32>) outs(%e : tensor<6x8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = math.exp %in : f32
    linalg.yield %m : f32
  } -> tensor<6x8x4xf32>
  return %a, %b : tensor<6x8x4xf32>, tensor<6x8x4xf32>
}

// -----

// A table that is looked up where a window of one place is read: all of it is read, so each element may be looked up once.

// CHECK: @looked_up
// CHECK: tensor.extract
// CHECK: -> tensor<8x4xi8>
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract
// CHECK: "reduction"
func.func @looked_up(%s: tensor<8x4xi32>, %t: tensor<256xi8>, %w: tensor<6x1x4xi8>, %o: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %c128 = arith.constant 128 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i + k, l)>, affine_map<(i, j, k, l) -> (j, k, l)>, affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%s, %w : tensor<8x4xi32>, tensor<6x1x4xi8>) outs(%o : tensor<8x6xi32>) {
  ^bb0(%in: i32, %v: i8, %out: i32):
    %a = arith.trunci %in : i32 to i8
    %i = arith.index_cast %a : i8 to index
    %n = arith.addi %i, %c128 : index
    %b = tensor.extract %t[%n] : tensor<256xi8>
    %c = arith.extsi %b : i8 to i32
    %d = arith.extsi %v : i8 to i32
    %e = arith.muli %c, %d : i32
    %f = arith.addi %out, %e : i32
    linalg.yield %f : i32
  } -> tensor<8x6xi32>
  return %r : tensor<8x6xi32>
}

// -----

// Channels that are scaled where a product reads them (squeeze and excitation): the scales are repeated. Weights that are scaled stay.

// CHECK: @scaled
// CHECK: math.exp
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK: "reduction"
// CHECK: arith.mulf
// CHECK-NEXT: arith.mulf
func.func @scaled(%x: tensor<64x8xf32>, %s: tensor<1x8xf32>, %w: tensor<16x8xf32>, %e: tensor<64x8xf32>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = math.exp %in : f32
    linalg.yield %m : f32
  } -> tensor<64x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (0, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (0, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %s, %w, %s : tensor<64x8xf32>, tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x8xf32>) outs(%o : tensor<64x16xf32>) {
  ^bb0(%in: f32, %by: f32, %v: f32, %vby: f32, %out: f32):
    %a = arith.mulf %in, %by : f32
    %b = arith.mulf %v, %vby : f32
    %c = arith.mulf %a, %b : f32
    %f = arith.addf %out, %c : f32
    linalg.yield %f : f32
  } -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// -----

// Regions that run once are the operations in them.

// CHECK: @once
// CHECK-NEXT: %y = linalg.exp
// CHECK-NEXT: linalg.abs ins(%y :
// CHECK-NEXT: return %{{.*}}, %x :
func.func @once(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.execute_region -> (tensor<4xf32>, tensor<4xf32>) {
    %s = scf.execute_region -> tensor<4xf32> {
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    %z = linalg.abs ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// 10 columns in tiles of 8 are 16; tiles come first that are next to each other in a column.

// CHECK: @packing
// CHECK:       %[[P:.*]] = tensor.pad %x low[0, 0] high[0, 6]
// CHECK:       %[[E:.*]] = tensor.expand_shape %[[P]] {{.*}} : tensor<12x16xf32> into tensor<3x4x2x8xf32>
// CHECK-NEXT:  linalg.transpose ins(%[[E]] : tensor<3x4x2x8xf32>) outs(%d : tensor<2x3x4x8xf32>) permutation = [2, 0, 1, 3]
// CHECK:       %[[T:.*]] = linalg.transpose ins(%t : tensor<2x3x4x8xf32>) outs(%{{.*}} : tensor<3x4x2x8xf32>) permutation = [1, 2, 0, 3]
// CHECK-NEXT:  %[[C:.*]] = tensor.collapse_shape %[[T]] {{.*}} : tensor<3x4x2x8xf32> into tensor<12x16xf32>
// CHECK-NEXT:  tensor.extract_slice %[[C]][0, 0] [12, 10] [1, 1]
func.func @packing(%x: tensor<12x10xf32>, %d: tensor<2x3x4x8xf32>, %t: tensor<2x3x4x8xf32>, %o: tensor<12x10xf32>) -> (tensor<2x3x4x8xf32>, tensor<12x10xf32>) {
  %z = arith.constant 0.0 : f32
  %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %d : tensor<12x10xf32> -> tensor<2x3x4x8xf32>
  %u = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %o : tensor<2x3x4x8xf32> -> tensor<12x10xf32>
  return %p, %u : tensor<2x3x4x8xf32>, tensor<12x10xf32>
}

// -----

// A table of unknown length is made by a generic operation that asks for its place.

// CHECK: @generate
// CHECK:       %[[E:.*]] = tensor.empty(%n) : tensor<?x4xi32>
// CHECK-NEXT:  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%[[E]] : tensor<?x4xi32>) {
// CHECK-NEXT:  ^bb0(%{{.*}}: i32):
// CHECK-NEXT:    %[[I:.*]] = linalg.index 0 : index
// CHECK-NEXT:    %[[J:.*]] = linalg.index 1 : index
// CHECK-NEXT:    arith.muli %[[I]], %[[J]] : index
// CHECK:         linalg.yield %{{.*}} : i32
func.func @generate(%n: index) -> tensor<?x4xi32> {
  %m = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %c = arith.muli %i, %j : index
    %s = arith.index_cast %c : index to i32
    tensor.yield %s : i32
  } : tensor<?x4xi32>
  return %m : tensor<?x4xi32>
}

// -----

// Iterations in any order are loops one within another; what an iteration puts into a shared tensor is inserted into it.

// CHECK: @forall
// CHECK:       %[[R:.*]], %[[S:.*]] = scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[O:.*]] = %e, %[[P:.*]] = %f) -> (tensor<8x6xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %[[Q:.*]], %[[T:.*]] = scf.for %j = %first to %{{.*}} step %{{.*}} iter_args(%[[U:.*]] = %[[O]], %[[V:.*]] = %[[P]]) -> (tensor<8x6xf32>, tensor<8xf32>) {
// CHECK-NEXT:      %[[D:.*]] = tensor.extract_slice %[[U]][%i, %j] [2, 3] [1, 1]
// CHECK-NEXT:      %[[A:.*]] = linalg.add ins(%x, %[[D]] : {{.*}}) outs(%[[D]] : tensor<2x3xf32>)
// CHECK-NEXT:      %[[W:.*]] = tensor.insert_slice %[[A]] into %[[U]][%i, %j] [2, 3] [1, 1]
// CHECK-NEXT:      %[[X:.*]] = tensor.insert_slice %y into %[[V]][%i] [1] [1]
// CHECK-NEXT:      %[[Y:.*]] = tensor.insert_slice %y into %[[X]][%j] [1] [1]
// CHECK-NEXT:      scf.yield %[[W]], %[[Y]] : tensor<8x6xf32>, tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.yield %[[Q]], %[[T]] : tensor<8x6xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[R]], %[[S]]
func.func @forall(%x: tensor<2x3xf32>, %y: tensor<1xf32>, %e: tensor<8x6xf32>, %f: tensor<8xf32>, %first: index) -> (tensor<8x6xf32>, tensor<8xf32>) {
  %r:2 = scf.forall (%i, %j) = (0, %first) to (8, 6) step (2, 3) shared_outs(%o = %e, %p = %f) -> (tensor<8x6xf32>, tensor<8xf32>) {
    %d = tensor.extract_slice %o[%i, %j] [2, 3] [1, 1] : tensor<8x6xf32> to tensor<2x3xf32>
    %a = linalg.add ins(%x, %d : tensor<2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x6xf32>
      tensor.parallel_insert_slice %y into %p[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %y into %p[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r#0, %r#1 : tensor<8x6xf32>, tensor<8xf32>
}

// -----

// On memory nothing goes through the loop.

// CHECK: @forall_on_memory
// CHECK:       scf.for %i = %{{.*}} to %n step %{{.*}} {
// CHECK-NEXT:    %x = memref.load %a[%i]
// CHECK-NEXT:    memref.store %x, %b[%i]
// CHECK-NEXT:  }
func.func @forall_on_memory(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<8xf32>
    memref.store %x, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// What the `index` dialect computes, `arith` does.

// CHECK: @numbers
// CHECK-NEXT: arith.constant -3 : index
// CHECK-NEXT: arith.constant true
// CHECK-NEXT: arith.addi %x, %y {note = 1 : i64} : index
// CHECK-NEXT: arith.subi
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: arith.divui
// CHECK-NEXT: arith.ceildivsi
// CHECK-NEXT: arith.ceildivui
// CHECK-NEXT: arith.floordivsi
// CHECK-NEXT: arith.remsi
// CHECK-NEXT: arith.remui
// CHECK-NEXT: arith.maxsi
// CHECK-NEXT: arith.maxui
// CHECK-NEXT: arith.minsi
// CHECK-NEXT: arith.minui
// CHECK-NEXT: arith.shli
// CHECK-NEXT: arith.shrsi
// CHECK-NEXT: arith.shrui
// CHECK-NEXT: arith.andi
// CHECK-NEXT: arith.ori
// CHECK-NEXT: arith.xori
// CHECK-NEXT: arith.cmpi slt, %x, %y : index
// CHECK-NEXT: arith.cmpi ugt, %x, %y : index
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %x : index to i32
// CHECK-NEXT: arith.index_castui %[[I]] : i32 to index
func.func @numbers(%x: index, %y: index) -> index {
  %c = index.constant -3
  %t = index.bool.constant true
  %0 = index.add %x, %y {note = 1}
  %1 = index.sub %x, %y
  %2 = index.mul %x, %y
  %3 = index.divs %x, %y
  %4 = index.divu %x, %y
  %5 = index.ceildivs %x, %y
  %6 = index.ceildivu %x, %y
  %7 = index.floordivs %x, %y
  %8 = index.rems %x, %y
  %9 = index.remu %x, %y
  %10 = index.maxs %x, %y
  %11 = index.maxu %x, %y
  %12 = index.mins %x, %y
  %13 = index.minu %x, %y
  %14 = index.shl %x, %y
  %15 = index.shrs %x, %y
  %16 = index.shru %x, %y
  %17 = index.and %x, %y
  %18 = index.or %x, %y
  %19 = index.xor %x, %y
  %20 = index.cmp slt(%x, %y)
  %21 = index.cmp ugt(%x, %y)
  %22 = index.casts %x : index to i32
  %23 = index.castu %22 : i32 to index
  return %23 : index
}

// -----

// Sizes that follow from constants are written in types, up to the types of the function.

// CHECK: @frozen
// CHECK: tensor.empty() : tensor<4x6xf32>
// CHECK: linalg.matmul ins(%x0, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%{{.*}} : tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK: tensor.expand_shape %{{.*}} output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
// CHECK: tensor.pad %{{.*}} low[0, 1, 0] high[0, 0, 0]
// CHECK: : tensor<4x2x3xf32> to tensor<4x3x3xf32>
// CHECK: math.tanh %{{.*}} : tensor<4x3x3xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 1, 0] [4, 1, 3] [1, 1, 1] : tensor<4x3x3xf32> to tensor<4x3xf32>
// CHECK: %[[C:.*]] = tensor.concat dim(0) %[[S]], %[[S]] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
// CHECK: %[[R:.*]] = tensor.cast %[[C]] : tensor<8x3xf32> to tensor<?x3xf32>
// CHECK: return %[[S]], %[[R]] : tensor<4x3xf32>, tensor<?x3xf32>
func.func @frozen(%x0: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x3xf32>, tensor<?x3xf32>) {
  %x = tensor.cast %x0 : tensor<4x8xf32> to tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %i = arith.index_cast %d : index to i64
  %n = arith.index_cast %i : i64 to index
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %v = tensor.expand_shape %m [[0], [1, 2]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %p = tensor.pad %v low[0, 1, 0] high[0, 0, %c0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<?x2x3xf32> to tensor<?x3x?xf32>
  %h = math.tanh %p : tensor<?x3x?xf32>
  %s = tensor.extract_slice %h[0, 1, 0] [%n, 1, 3] [1, 1, 1] : tensor<?x3x?xf32> to tensor<?x3xf32>
  %t = tensor.concat dim(0) %s, %s : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %z = tensor.cast %s : tensor<?x3xf32> to tensor<4x3xf32>
  return %z, %t : tensor<4x3xf32>, tensor<?x3xf32>
}

// -----

// What is open in an argument stays open.

// CHECK: @open
// CHECK: linalg.exp ins(%x : tensor<?x8xf32>) outs(%{{.*}} : tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @open(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.exp ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Three rows at a time of seven: a loop of two iterations, and one row behind it.

// CHECK: @ragged
// CHECK: arith.constant 7 : index
// CHECK-NEXT: %[[FROM:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[TO:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[R:.*]] = scf.for %i = %[[FROM]] to %[[TO]] step %c3
// CHECK: tensor.extract_slice %x[%i, 0] [3, 4] [1, 1] : tensor<7x4xf32> to tensor<3x4xf32>
// CHECK: linalg.exp {{.*}} -> tensor<3x4xf32>
// CHECK: tensor.insert_slice %{{.*}} into %o[%i, 0] [3, 4] [1, 1]
// CHECK: } {note = 1 : i64}
// CHECK: tensor.extract_slice %x[6, 0] [1, 4] [1, 1] : tensor<7x4xf32> to tensor<1x4xf32>
// CHECK: linalg.exp {{.*}} -> tensor<1x4xf32>
// CHECK: %[[S:.*]] = tensor.insert_slice %{{.*}} into %[[R]][6, 0] [1, 4] [1, 1]
// CHECK: return %[[S]]
func.func @ragged(%x: tensor<7x4xf32>, %e: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c3 iter_args(%o = %e) -> (tensor<7x4xf32>) {
    %n = affine.min affine_map<(d0) -> (7 - d0, 3)>(%i)
    %s = tensor.extract_slice %x[%i, 0] [%n, 4] [1, 1] : tensor<7x4xf32> to tensor<?x4xf32>
    %d = tensor.extract_slice %o[%i, 0] [%n, 4] [1, 1] : tensor<7x4xf32> to tensor<?x4xf32>
    %y = linalg.exp ins(%s : tensor<?x4xf32>) outs(%d : tensor<?x4xf32>) -> tensor<?x4xf32>
    %u = tensor.insert_slice %y into %o[%i, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<7x4xf32>
    scf.yield %u : tensor<7x4xf32>
  } {note = 1}
  return %r : tensor<7x4xf32>
}

// -----

// What is gathered is looked up, what is scattered inserted slice by slice.

// CHECK: @gathered
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<5x1x4xf32>)
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[COLUMN:.*]] = linalg.index 2
// CHECK: %[[I:.*]] = tensor.extract %i[%[[ROW]], %{{.*}}] : tensor<5x1xindex>
// CHECK-NEXT: %[[V:.*]] = tensor.extract %a[%[[I]], %[[COLUMN]]] : tensor<8x4xf32>
// CHECK-NEXT: linalg.yield %[[V]]
// CHECK: %[[R:.*]] = scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %a)
// CHECK: %[[J:.*]] = tensor.extract %i[%[[P]], %{{.*}}]
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[%[[P]], 0, 0] [1, 1, 4] [1, 1, 1] : tensor<5x1x4xf32> to tensor<1x4xf32>
// CHECK: tensor.insert_slice %[[S]] into %[[A]][%[[J]], 0] [1, 4] [1, 1]
// CHECK: return %[[R]]
func.func @gathered(%a: tensor<8x4xf32>, %i: tensor<5x1xindex>) -> tensor<8x4xf32> {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<5x1xindex>) -> tensor<5x1x4xf32>
  %1 = tensor.scatter %0 into %a[%i] scatter_dims([0]) unique : (tensor<5x1x4xf32>, tensor<8x4xf32>, tensor<5x1xindex>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// The value of a border is computed before, but for what depends on the position.

// CHECK: @border
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[V:.*]] = arith.sitofp %[[ONE]] : i32 to f32
// CHECK-NEXT: %[[P:.*]] = tensor.pad %x low[1, 0] high[0, 2] {
// CHECK-NEXT: ^{{.*}}(%{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT: tensor.yield %[[V]] : f32
// CHECK: arith.constant 2.0
// CHECK: tensor.pad %[[P]] low[0, 0] high[1, 0] {
// CHECK-NEXT: ^{{.*}}(%{{.*}}: index, %[[J:.*]]: index):
// CHECK-NEXT: arith.index_cast %[[J]]
func.func @border(%x: tensor<4x4xf32>) -> tensor<6x6xf32> {
  %0 = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %one = arith.constant 1 : i32
    %v = arith.sitofp %one : i32 to f32
    tensor.yield %v : f32
  } : tensor<4x4xf32> to tensor<5x6xf32>
  %1 = tensor.pad %0 low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %two = arith.constant 2.0 : f32
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %v = arith.mulf %f, %two : f32
    tensor.yield %v : f32
  } : tensor<5x6xf32> to tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}

// -----

// A size that somebody asks for is a constant, also where no size is open.

// CHECK: @asked
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK-NOT: tensor.dim
// CHECK: %[[I:.*]] = arith.constant 6 : i64
// CHECK: return %[[Y]], %[[I]]
func.func @asked(%x: tensor<4x6xf32>, %e: tensor<4x6xf32>) -> (tensor<4x6xf32>, i64) {
  %c1 = arith.constant 1 : index
  %y = linalg.exp ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %n = tensor.dim %y, %c1 : tensor<4x6xf32>
  %i = arith.index_cast %n : index to i64
  return %y, %i : tensor<4x6xf32>, i64
}
