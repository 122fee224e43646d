// conv_2d_nchw with a bias as its destination, steps and dilation
func.func @main(%x: tensor<1x3x9x8xf32>, %w: tensor<4x3x3x2xf32>, %b: tensor<1x4x3x6xf32>) -> tensor<1x4x3x6xf32> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[3, 1]> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x9x8xf32>, tensor<4x3x3x2xf32>) outs(%b : tensor<1x4x3x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %y : tensor<1x4x3x6xf32>
}
// -----
// conv_2d_nhwc_q: zero points are scalars, sums are integers
func.func @main(%x: tensor<1x5x5x3xi8>, %w: tensor<4x2x2x3xi8>) -> tensor<1x4x4x4xi32> {
  %zx = arith.constant -3 : i32
  %zw = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x4x4x4xi32>
  %f = linalg.fill ins(%zw : i32) outs(%e : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %y = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w, %zx, %zw : tensor<1x5x5x3xi8>, tensor<4x2x2x3xi8>, i32, i32) outs(%f : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  func.return %y : tensor<1x4x4x4xi32>
}
// -----
// conv_2d_ngchw_gfchw
func.func @main(%x: tensor<1x2x2x4x4xf32>, %w: tensor<2x3x2x3x3xf32>) -> tensor<1x2x3x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  %y = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x2x2x4x4xf32>, tensor<2x3x2x3x3xf32>) outs(%f : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  func.return %y : tensor<1x2x3x2x2xf32>
}
// -----
// depthwise_conv_2d_nchw
func.func @main(%x: tensor<1x4x7x6xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x7x6xf32>, tensor<4x3x3xf32>) outs(%f : tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  func.return %y : tensor<1x4x3x2xf32>
}
// -----
// depthwise_conv_2d_nhwc_hwcm_q
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<2x2x3x2xi8>) -> tensor<1x3x3x3x2xi32> {
  %zx = arith.constant -3 : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x3x3x3x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x3x3x2xi32>) -> tensor<1x3x3x3x2xi32>
  %y = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w, %zx, %zero : tensor<1x4x4x3xi8>, tensor<2x2x3x2xi8>, i32, i32) outs(%f : tensor<1x3x3x3x2xi32>) -> tensor<1x3x3x3x2xi32>
  func.return %y : tensor<1x3x3x3x2xi32>
}
// -----
// conv_3d_ncdhw
func.func @main(%x: tensor<1x2x4x3x4xf32>, %w: tensor<2x2x2x2x2xf32>) -> tensor<1x2x3x2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x2x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x3x2x3xf32>) -> tensor<1x2x3x2x3xf32>
  %y = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>}
    ins(%x, %w : tensor<1x2x4x3x4xf32>, tensor<2x2x2x2x2xf32>) outs(%f : tensor<1x2x3x2x3xf32>) -> tensor<1x2x3x2x3xf32>
  func.return %y : tensor<1x2x3x2x3xf32>
}
// -----
// pooling_nchw_max: the window is not read, but its shape counts
func.func @main(%x: tensor<1x2x7x6xf32>) -> tensor<1x2x3x2xf32> {
  %low = arith.constant -1.0e30 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x2x3x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %k : tensor<1x2x7x6xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  func.return %y : tensor<1x2x3x2xf32>
}
// -----
// pooling_nhwc_sum
func.func @main(%x: tensor<1x5x5x3xf32>) -> tensor<1x2x2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  %y = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<3> : vector<2xi64>}
    ins(%x, %k : tensor<1x5x5x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  func.return %y : tensor<1x2x2x3xf32>
}
// -----
// matmul, the second operand transposed
func.func @main(%a: tensor<5x7xf32>, %b: tensor<6x7xf32>) -> tensor<5x6xf32> {
  %init = arith.constant dense<0.5> : tensor<5x6xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<5x7xf32>, tensor<6x7xf32>) outs(%init : tensor<5x6xf32>) -> tensor<5x6xf32>
  func.return %y : tensor<5x6xf32>
}
// -----
// batch_matmul
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %y = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return %y : tensor<2x3x5xf32>
}
// -----
// elementwise generic with a projected, a constant and a scalar map, and an output that is not read
func.func @main(%x: tensor<3x4x5xf32>, %v: tensor<4x1xf32>, %s: f32, %t: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (b, 0)>, affine_map<(a, b, c) -> ()>, affine_map<(a, b, c) -> (a, b, c)>],
    iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %v, %s : tensor<3x4x5xf32>, tensor<4x1xf32>, f32) outs(%t : tensor<3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x4x5xf32>
  func.return %y : tensor<3x4x5xf32>
}
// -----
// generic with permuted loops, a constant index and a window
func.func @main(%x: tensor<3x9xf32>, %r: tensor<5x4xf32>, %k: tensor<3x1xf32>) -> tensor<4x3xf32> {
  %z = arith.constant dense<0.0> : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, i, k) -> (c, i * 2 + k)>, affine_map<(c, i, k) -> (2, i)>, affine_map<(c, i, k) -> (k, 0)>, affine_map<(c, i, k) -> (i, c)>],
    iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %r, %k : tensor<3x9xf32>, tensor<5x4xf32>, tensor<3x1xf32>) outs(%z : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %k0: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  func.return %y : tensor<4x3xf32>
}
// -----
// maximum with its place: two results of one map, and linalg.index of the reduction
func.func @main(%x: tensor<3x2x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>) {
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<3x2xf32>
  %e1 = tensor.empty() : tensor<3x2xi64>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<3x2xi64>) -> tensor<3x2xi64>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b)>],
    iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x2x5xf32>) outs(%f0, %f1 : tensor<3x2xf32>, tensor<3x2xi64>) {
  ^bb0(%a: f32, %m: f32, %p: i64):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i64
    %g = arith.cmpf ogt, %a, %m : f32
    %0 = arith.select %g, %a, %m : f32
    %1 = arith.select %g, %j, %p : i64
    linalg.yield %0, %1 : f32, i64
  } -> (tensor<3x2xf32>, tensor<3x2xi64>)
  func.return %y#0, %y#1 : tensor<3x2xf32>, tensor<3x2xi64>
}
// -----
// a table that is looked up by the indices of the loops (weights turned around)
func.func @main(%w: tensor<3x4x2xf32>) -> tensor<4x3x2xf32> {
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x3x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<4x3x2xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = linalg.index 2 : index
    %d = arith.subi %one, %c : index
    %t = tensor.extract %w[%b, %a, %d] : tensor<3x4x2xf32>
    linalg.yield %t : f32
  } -> tensor<4x3x2xf32>
  func.return %y : tensor<4x3x2xf32>
}
// -----
// a table that is looked up by contents, with assertions
func.func @main(%i: tensor<2x5xi64>, %w: tensor<16x3xf32>) -> tensor<2x5x3xf32> {
  %high = arith.constant 15 : i64
  %e = tensor.empty() : tensor<2x5x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<2x5xi64>) outs(%e : tensor<2x5x3xf32>) {
  ^bb0(%k: i64, %o: f32):
    %m = arith.andi %k, %high : i64
    %n = arith.index_cast %m : i64 to index
    %ok = arith.cmpi sle, %m, %high : i64
    cf.assert %ok, "in the table"
    %c = linalg.index 2 : index
    %t = tensor.extract %w[%n, %c] : tensor<16x3xf32>
    linalg.yield %t : f32
  } -> tensor<2x5x3xf32>
  func.return %y : tensor<2x5x3xf32>
}
// -----
// a table that is looked up near a sum of loops (bilinear upsampling of rows, nearest of columns)
func.func @main(%x: tensor<2x5x4xf32>) -> tensor<2x10x12xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %last = arith.constant 4 : index
  %e = tensor.empty() : tensor<2x10x12xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%e : tensor<2x10x12xf32>) attrs = {memplan.looked_up = [array<i64: 0, 1, 0, 1, 0, 1, 1, -2, 2, 4, 2, 1, -2, 3, 2>]} {
  ^bb0(%o: f32):
    %c = linalg.index 0 : index
    %h = linalg.index 1 : index
    %w = linalg.index 2 : index
    %before = arith.subi %h, %one : index
    %half = arith.floordivsi %before, %two : index
    %low = arith.maxsi %half, %zero : index
    %next = arith.addi %low, %one : index
    %high = arith.minsi %next, %last : index
    %near = arith.floordivsi %w, %three : index
    %s = tensor.extract %x[%c, %low, %near] : tensor<2x5x4xf32>
    %t = tensor.extract %x[%c, %high, %near] : tensor<2x5x4xf32>
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x10x12xf32>
  func.return %y : tensor<2x10x12xf32>
}
// -----
// named elementwise
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %y = linalg.add ins(%a, %b : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
// -----
// scalar operations on whole tensors
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = arith.addf %a, %b : tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}
// -----
// transpose
func.func @main(%a: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
  %e = tensor.empty() : tensor<5x3x4xf32>
  %y = linalg.transpose ins(%a : tensor<3x4x5xf32>) outs(%e : tensor<5x3x4xf32>) permutation = [2, 0, 1]
  func.return %y : tensor<5x3x4xf32>
}
// -----
// broadcast
func.func @main(%a: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %e = tensor.empty() : tensor<2x4x3xf32>
  %y = linalg.broadcast ins(%a : tensor<4xf32>) outs(%e : tensor<2x4x3xf32>) dimensions = [0, 2]
  func.return %y : tensor<2x4x3xf32>
}
// -----
// reduce into old contents
func.func @main(%a: tensor<3x4x5xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.reduce ins(%a : tensor<3x4x5xf32>) outs(%init : tensor<4xf32>) dimensions = [0, 2]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  func.return %y : tensor<4xf32>
}
// -----
// pad with more on one side
func.func @main(%a: tensor<4x3xf32>) -> tensor<7x6xf32> {
  %c = arith.constant 0.25 : f32
  %y = tensor.pad %a low[1, 3] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x3xf32> to tensor<7x6xf32>
  func.return %y : tensor<7x6xf32>
}
// -----
// concat
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %y = tensor.concat dim(1) %a, %b, %c : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}
// -----
// extract_slice with steps and a dropped dimension
func.func @main(%a: tensor<3x9x7xf32>) -> tensor<4x3xf32> {
  %y = tensor.extract_slice %a[2, 1, 0] [1, 4, 3] [1, 2, 3] : tensor<3x9x7xf32> to tensor<4x3xf32>
  func.return %y : tensor<4x3xf32>
}
// -----
// insert_slice with steps into zeros (transposed convolution)
func.func @main(%a: tensor<2x3x4xf32>) -> tensor<2x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %y = tensor.insert_slice %a into %f[0, 1, 1] [2, 3, 4] [1, 2, 2] : tensor<2x3x4xf32> into tensor<2x7x9xf32>
  func.return %y : tensor<2x7x9xf32>
}
// -----
// insert_slice of lower rank into old contents
func.func @main(%a: tensor<3xf32>, %b: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %y = tensor.insert_slice %a into %b[0, 2] [1, 3] [1, 1] : tensor<3xf32> into tensor<1x6xf32>
  func.return %y : tensor<1x6xf32>
}
// -----
// collapse_shape
func.func @main(%a: tensor<3x4x1x5xf32>) -> tensor<12x5xf32> {
  %y = tensor.collapse_shape %a [[0, 1, 2], [3]] : tensor<3x4x1x5xf32> into tensor<12x5xf32>
  func.return %y : tensor<12x5xf32>
}
// -----
// expand_shape
func.func @main(%a: tensor<24x2xf32>) -> tensor<2x3x4x2xf32> {
  %y = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [2, 3, 4, 2] : tensor<24x2xf32> into tensor<2x3x4x2xf32>
  func.return %y : tensor<2x3x4x2xf32>
}
// -----
// cast that changes nothing
func.func @main(%a: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = tensor.cast %a : tensor<4x3xf32> to tensor<4x3xf32>
  func.return %y : tensor<4x3xf32>
}
