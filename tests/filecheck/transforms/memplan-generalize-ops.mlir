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

// A product with ones reads the scalar: nothing is filled for the matrix. Which window a filter has only the filter tells.

// CHECK: @ones
// CHECK: %p = linalg.generic
// CHECK-SAME: ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK: linalg.conv_2d_nchw_fchw
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
