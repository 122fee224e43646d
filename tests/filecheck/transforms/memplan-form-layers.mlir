// RUN: xdsl-opt %s --split-input-file -p memplan-form-layers | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>

// The pad goes with the convolution that reads it, and so does what is made of the variance alone, wherever it stands; the elementwise
// chain goes with the convolution that it follows. The pooling is the next layer. What is filled again has no layer.

// CHECK-LABEL: func.func @conv_bn_pool
// CHECK:       tensor.pad
// CHECK:       } {memplan.layer = 0 : i64} : tensor<1x1x4x4xf32> to tensor<1x1x6x6xf32>
// CHECK:       linalg.conv_2d_nchw_fchw {memplan.layer = 0 : i64,
// CHECK:       linalg.generic {{.*}} attrs = {{ *}}{memplan.layer = 0 : i64} {
// CHECK-NEXT:  ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:    math.rsqrt
// CHECK:       linalg.generic {{.*}} attrs = {{ *}}{memplan.layer = 0 : i64} {
// CHECK-NEXT:  ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:    arith.mulf
// CHECK:       linalg.pooling_nchw_max {memplan.layer = 1 : i64,
func.func @conv_bn_pool(%x: tensor<1x1x4x4xf32>, %w: tensor<2x1x3x3xf32>, %v: tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x4x4xf32> to tensor<1x1x6x6xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%p, %w : tensor<1x1x6x6xf32>, tensor<2x1x3x3xf32>) outs(%f : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %ev = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%v : tensor<2xf32>) outs(%ev : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.rsqrt %in : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %r : tensor<1x2x4x4xf32>, tensor<2xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.mulf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<1x2x4x4xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %eq = tensor.empty() : tensor<1x2x2x2xf32>
  %g = linalg.fill ins(%zero : f32) outs(%eq : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %q = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%n, %k : tensor<1x2x4x4xf32>, tensor<2x2xf32>) outs(%g : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  func.return %q : tensor<1x2x2x2xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A softmax is one layer, although it reduces twice; the product after it is another.

// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-4: attrs = {{ *}}{memplan.layer = 0 : i64}
// CHECK:         linalg.matmul {memplan.layer = 1 : i64}
func.func @softmax(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.subf %in, %in_0 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<4x8xf32>) outs(%f1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %t : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.divf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<4x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%d, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%f2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}

// -----

// Layers are runs: the elementwise operation moves from behind the second product to the first, which it follows. The addition of both
// goes with the later one.

// CHECK-LABEL: func.func @branches
// CHECK:         linalg.matmul {memplan.layer = 0 : i64} ins(%a, %b
// CHECK:         linalg.exp {memplan.layer = 0 : i64}
// CHECK:         linalg.matmul {memplan.layer = 1 : i64} ins(%b, %a
// CHECK:         linalg.add {memplan.layer = 1 : i64}
func.func @branches(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %x = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%b, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.add ins(%y, %z : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %s : tensor<4x4xf32>
}

// -----

// An operation that nobody knows how to cut is a layer of its own. Functions with dynamic shapes or effects are left alone.

// CHECK-LABEL: func.func @loop
// CHECK:         linalg.exp {memplan.layer = 0 : i64}
// CHECK:         scf.for
// CHECK:         } {memplan.layer = 1 : i64}
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:     memplan.layer
// CHECK-LABEL: func.func @effects
// CHECK-NOT:     memplan.layer
func.func @loop(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = scf.for %i = %zero to %one step %one iter_args(%t = %x) -> (tensor<4xf32>) {
    %u = linalg.exp ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}
func.func @dynamic(%a: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %x = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  func.return %x : tensor<?xf32>
}
func.func private @print(tensor<4xf32>)
func.func @effects(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.call @print(%x) : (tensor<4xf32>) -> ()
  func.return %x : tensor<4xf32>
}

// -----

// The old contents of a destination are not read: the layer does not wait for what makes them.

// CHECK: @destination_of_a_later_layer
// CHECK: linalg.matmul {memplan.layer = 0 : i64}
// CHECK: linalg.exp {memplan.layer = 0 : i64} ins(%p : tensor<8x8xf32>) outs(%{{[0-9]+}} : tensor<8x8xf32>)
// CHECK-NOT: alloc_tensor
func.func @destination_of_a_later_layer(%x: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = linalg.matmul ins(%v, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %o2 = linalg.matmul ins(%x, %o : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.exp ins(%p : tensor<8x8xf32>) outs(%o2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = bufferization.alloc_tensor() : tensor<8x8xf32>
  %s = linalg.exp ins(%r : tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%s, %o : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}

// -----

// A scalar that is taken out of what a layer makes, to be returned, has no layer; one that is computed of it is a tensor
// of rank 0 first.

// CHECK: @returned_scalars
// CHECK: %s = linalg.reduce ins(%x : tensor<8xf32>) outs(%{{.*}} : tensor<f32>) dimensions = [0]
// CHECK: memplan.layer = 0
// CHECK: %h = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%{{.*}} : tensor<f32>) attrs =  {memplan.layer = [[H:[0-9]+]] : i64}
// CHECK: arith.negf
// CHECK: %[[TAKEN:.*]] = tensor.extract %h[] : tensor<f32>
// CHECK: func.return %[[TAKEN]] : f32
func.func @returned_scalars(%x: tensor<8xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %v = tensor.extract %s[] : tensor<f32>
  %h = arith.negf %v : f32
  func.return %h : f32
}

// -----

// What is inserted is a slice of one element, at constants where the indices are constants.

// CHECK: @inserted_scalar
// CHECK: %[[PART:.*]] = tensor.splat %v : tensor<1x1xf32>
// CHECK: tensor.insert_slice %[[PART]] into %y[3, 0] [1, 1] [1, 1]
func.func @inserted_scalar(%y: tensor<8x4xf32>, %v: f32) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = tensor.insert %v into %y[%c3, %c0] : tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// -----

// A pad with a scalar that is taken out of a tensor: what is padded lies in a tensor of that number.

// CHECK: @padded_with_a_scalar
// CHECK: %[[V:.*]] = linalg.generic {{.*}}iterator_types = []
// CHECK: %[[AROUND:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<f32>) outs(%{{.*}} : tensor<10xf32>)
// CHECK: tensor.insert_slice %x into %[[AROUND]][1] [8] [1]
// CHECK-NOT: tensor.pad
func.func @padded_with_a_scalar(%x: tensor<8xf32>, %p: tensor<f32>) -> tensor<10xf32> {
  %v = tensor.extract %p[] : tensor<f32>
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<10xf32>
  func.return %r : tensor<10xf32>
}
