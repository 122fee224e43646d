// RUN: xdsl-opt %s --split-input-file -p memplan-fuse-elementwise | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'memplan-fuse-elementwise{chains=true}' | filecheck %s --check-prefix=CHAINS

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// A row is expanded where it is added: no tensor for the expanded row.

// CHECK-LABEL: func.func @row
// CHECK:       %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], {{.*}}} ins(%v, %x :
// CHECK-NEXT:  ^bb0(%[[V:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[V]] : f32
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[E]], %[[X]] : f32
// CHECK-NEXT:    linalg.yield %[[S]] : f32
// CHECK:       func.return %[[Y]]
func.func @row(%v: tensor<8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %1 = arith.addf %in, %in_0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>

// Read through a transposed map: loop 1 of the producer is loop 0 of the reader.

// CHECK-LABEL: func.func @transposed
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK:         linalg.index 0 : index
func.func @transposed(%v: tensor<8xi64>) -> tensor<8x4xi64> {
  %e = tensor.empty() : tensor<4x8xi64>
  %f = tensor.empty() : tensor<8x4xi64>
  %b = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8xi64>) outs(%e : tensor<4x8xi64>) {
  ^bb0(%in: i64, %out: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.addi %in, %1 : i64
    linalg.yield %2 : i64
  } -> tensor<4x8xi64>
  %y = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x8xi64>) outs(%f : tensor<8x4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %3 = arith.muli %in, %in : i64
    linalg.yield %3 : i64
  } -> tensor<8x4xi64>
  func.return %y : tensor<8x4xi64>
}

// -----

#id = affine_map<(i) -> (i)>

// What can work in place stays: the first exponential lies in the room of the product that dies there.

// CHECK-LABEL: func.func @in_place
// CHECK-COUNT-2: linalg.generic
func.func @in_place(%w: tensor<8x8xf32>, %a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.matvec ins(%w, %a : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Side effects stay where they are.

// CHECK-LABEL: func.func @asserts
// CHECK:       linalg.generic
// CHECK:         cf.assert
// CHECK:       linalg.generic
func.func @asserts(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    cf.assert %c, "no"
    linalg.yield %in : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Read again and again, each element would be computed again and again: it stays.

// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-2: linalg.generic
func.func @repeated(%a: tensor<4xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %x : tensor<4xf32>, tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %1 = arith.mulf %in, %in_0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

// A chain that works in place is left alone, but with chains=true: the row waits with it.

// CHECK-LABEL: func.func @chain
// CHECK-COUNT-2: linalg.generic
// CHAINS-LABEL: func.func @chain
// CHAINS:       linalg.generic
// CHAINS-NEXT:  ^bb0
// CHAINS-NEXT:    arith.mulf
// CHAINS-NEXT:    arith.maximumf
// CHAINS-NEXT:    linalg.yield
// CHAINS-NOT:   linalg.generic

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @chain(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %v: tensor<8xf32>, %zero: f32) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.mulf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.maximumf %in, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

// Fused, what the sum reads would have to wait for the other factor of the product.

// CHAINS-LABEL: func.func @sum_and_product
// CHAINS:       arith.addf
// CHAINS-NEXT:  linalg.yield
// CHAINS:       arith.mulf

#id = affine_map<(i, j) -> (i, j)>
func.func @sum_and_product(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %z = linalg.transpose ins(%b : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %1 = arith.addf %in, %in_0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.mulf %in, %in_0 : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

#id = affine_map<(h, i, j) -> (h, i, j)>
#mask = affine_map<(h, i, j) -> (0, i, j)>

// A mask of a row and a column is made where it is read, by both readers, for each head.

// CHECK-LABEL: func.func @mask
// CHECK-COUNT-3: linalg.generic
// CHAINS-LABEL: func.func @mask
// CHAINS:       %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d1)>, affine_map<(d0, d1, d2) -> (0, d2)>, {{.*}}]{{.*}} ins(%r, %c, %x :
// CHAINS:         arith.andi
// CHAINS-NEXT:    arith.select
// CHAINS:       %[[Z:.*]] = linalg.generic {{.*}} ins(%r, %c, %x :
// CHAINS:         arith.andi
// CHAINS-NOT:   linalg.generic
// CHAINS:       func.return %[[Y]], %[[Z]]
func.func @mask(%r: tensor<1x64xi1>, %c: tensor<1x64xi1>, %x: tensor<4x64x64xf32>) -> (tensor<4x64x64xf32>, tensor<4x64x64xf32>) {
  %e = tensor.empty() : tensor<1x64x64xi1>
  %f = tensor.empty() : tensor<4x64x64xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %c : tensor<1x64xi1>, tensor<1x64xi1>) outs(%e : tensor<1x64x64xi1>) {
  ^bb0(%p: i1, %q: i1, %out: i1):
    %0 = arith.andi %p, %q : i1
    linalg.yield %0 : i1
  } -> tensor<1x64x64xi1>
  %y = linalg.generic {indexing_maps = [#mask, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %x : tensor<1x64x64xi1>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%s: i1, %in: f32, %out: f32):
    %1 = arith.select %s, %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x64xf32>
  %z = linalg.generic {indexing_maps = [#mask, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %x : tensor<1x64x64xi1>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%s: i1, %in: f32, %out: f32):
    %2 = arith.uitofp %s : i1 to f32
    %3 = arith.mulf %2, %in : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x64xf32>
  func.return %y, %z : tensor<4x64x64xf32>, tensor<4x64x64xf32>
}

// -----
// Of a maximum and its place the place is not computed where nobody reads it; where the maximum depends on it both stay.
// CHECK-LABEL: func.func @maximum
// CHECK:       %[[M:.*]] = linalg.generic {{.*}} outs(%low : tensor<4xf32>)
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:    %[[R:.*]] = arith.maximumf %[[IN]], %[[OUT]] : f32
// CHECK-NEXT:    linalg.yield %[[R]] : f32
// CHECK-NEXT:  } -> tensor<4xf32>
// CHECK:       %[[N:.*]], %{{.*}} = linalg.generic
// CHECK:       func.return %[[M]], %[[N]]
func.func @maximum(%x: tensor<4x8xf32>, %low: tensor<4xf32>, %none: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%low, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %in, %out : f32
    %1 = arith.cmpf ogt, %in, %out : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  %n:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%low, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %f = arith.sitofp %at : i64 to f32
    %g = arith.addf %in, %f : f32
    %h = arith.addf %g, %out : f32
    %j = arith.fptosi %h : f32 to i64
    linalg.yield %h, %j : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  func.return %m#0, %n#0 : tensor<4xf32>, tensor<4xf32>
}

// -----
// A call of a library computes what it computes: it keeps all its results, and is not fused.
// CHECK-LABEL: func.func @library
// CHECK:       linalg.generic
// CHECK:       %[[M:.*]], %{{.*}} = linalg.generic {{{.*}}library_call = "max_and_place"
// CHECK:       func.return %[[M]]
// CHAINS-LABEL: func.func @library
// CHAINS:       linalg.generic
// CHAINS:       %[[M:.*]], %{{.*}} = linalg.generic {{{.*}}library_call = "max_and_place"
func.func @library(%v: tensor<8xf32>, %low: tensor<4xf32>, %none: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %m:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"], library_call = "max_and_place"} ins(%x : tensor<4x8xf32>) outs(%low, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0, %at : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  func.return %m#0 : tensor<4xf32>
}

// -----

// Operations with a name are fused like generic ones, and a broadcast into what is elementwise. The maximum could work in
// place on the sum, and the sum on the product: that is a chain.

// CHECK-LABEL: func.func @named
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], {{.*}}} ins(%v, %[[P]] :
// CHECK:           arith.addf
// CHECK:         %[[M:.*]] = linalg.max ins(%[[S]], %z :
// CHECK-NEXT:    func.return %[[M]]
// CHAINS-LABEL: func.func @named
// CHAINS-NEXT:    tensor.empty
// CHAINS-NEXT:    %[[P:.*]] = linalg.matmul
// CHAINS-NEXT:    %[[M:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], {{.*}}} ins(%v, %[[P]], %z :
// CHAINS:           arith.addf
// CHAINS:           arith.maximumf
// CHAINS:         func.return %[[M]]
func.func @named(%v: tensor<8xf32>, %x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.broadcast ins(%v : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %s = linalg.add ins(%p, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = linalg.max ins(%s, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %m : tensor<4x8xf32>
}

// -----

// What a matrix product starts from is no input of an elementwise operation: the broadcast stays.

// CHECK-LABEL: func.func @start
// CHECK:       linalg.broadcast
// CHAINS-LABEL: func.func @start
// CHAINS:       linalg.broadcast
func.func @start(%v: tensor<8xf32>, %x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %b = linalg.broadcast ins(%v : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %m = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %m : tensor<4x8xf32>
}

// -----

// Nothing but the repeated row tells how many columns are added up: it stays.

// CHECK: @sums_of_repeated
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @sums_of_repeated(%x: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16x24xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16x24xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<16x24xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<16x24xf32>) outs(%b : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %q : tensor<16xf32>
}

// -----

// A repeated row that one operation reads twice becomes generic once, for all its readers.

// CHAINS: @read_twice
// CHAINS: %[[ROW:.*]] = linalg.generic
// CHAINS: linalg.add ins(%[[ROW]], %[[ROW]] :
// CHAINS: linalg.sub ins(%[[ROW]], %y :
func.func @read_twice(%x: tensor<3xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %b = linalg.broadcast ins(%x : tensor<3xf32>) outs(%e : tensor<3x4xf32>) dimensions = [1]
  %m = linalg.add ins(%b, %b : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %n = linalg.sub ins(%b, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %m, %n : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i, 0)>

// The squares and the result read what the mean is taken from. The difference, a tensor as large, is not kept for both.

// CHAINS-LABEL: func.func @centered
// CHAINS:       linalg.generic {{.*}} ins(%x, %m : tensor<4x4096xf32>, tensor<4x1xf32>)
// CHAINS:         arith.subf
// CHAINS:         arith.mulf
// CHAINS:         arith.addf
// CHAINS:       linalg.generic {{.*}} ins(%x, %m, %v : tensor<4x4096xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
// CHAINS:         arith.subf
// CHAINS:         arith.mulf
// CHAINS-NOT:   linalg.generic
// CHAINS:       func.return
func.func @centered(%x: tensor<4x4096xf32>, %m: tensor<4x1xf32>) -> (tensor<4x4096xf32>, tensor<4x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4096xf32>
  %f = tensor.empty() : tensor<4x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<4x1xf32>) -> tensor<4x1xf32>
  %c = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x4096xf32>, tensor<4x1xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.subf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  %v = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x4096xf32>) outs(%z : tensor<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %v : tensor<4x4096xf32>, tensor<4x1xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<4x4096xf32>
  func.return %y, %v : tensor<4x4096xf32>, tensor<4x1xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i, 0)>

// Computed once: what a product reads, what is returned, and what is made of a tensor that nobody else reads.

// CHAINS-LABEL: func.func @kept
// CHAINS:         arith.subf
// CHAINS:         linalg.matmul
// CHAINS-NEXT:    %y = linalg.exp ins(%c
// CHAINS-NEXT:    %d = linalg.generic
// CHAINS:         arith.addf
// CHAINS:         linalg.exp
// CHAINS-NOT:     arith.addf
// CHAINS:         func.return
func.func @kept(%x: tensor<4x4096xf32>, %m: tensor<4x1xf32>, %w: tensor<4096x4096xf32>, %o: tensor<4x4096xf32>) -> (tensor<4x4096xf32>, tensor<4x4096xf32>, tensor<4x4096xf32>) {
  %e = tensor.empty() : tensor<4x4096xf32>
  %c = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x4096xf32>, tensor<4x1xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.subf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  %p = linalg.matmul ins(%c, %w : tensor<4x4096xf32>, tensor<4096x4096xf32>) outs(%o : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  %y = linalg.exp ins(%c : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  %d = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %m : tensor<4x4096xf32>, tensor<4x1xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.addf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  %q = linalg.exp ins(%d : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  func.return %y, %q, %r : tensor<4x4096xf32>, tensor<4x4096xf32>, tensor<4x4096xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i, 0)>

// Of short rows tiles have all, and the difference is made once in their place.

// CHAINS-LABEL: func.func @short
// CHAINS:       %c = linalg.generic
// CHAINS:       linalg.generic {{.*}} ins(%c :
// CHAINS:       linalg.generic {{.*}} ins(%c, %v :
func.func @short(%x: tensor<4x64xf32>, %m: tensor<4x1xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = tensor.empty() : tensor<4x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<4x1xf32>) -> tensor<4x1xf32>
  %c = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x64xf32>, tensor<4x1xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.subf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<4x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x64xf32>) outs(%z : tensor<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %v : tensor<4x64xf32>, tensor<4x1xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<4x64xf32>
  func.return %y, %v : tensor<4x64xf32>, tensor<4x1xf32>
}
