// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// How integers are made wider is read, kept and printed, as in MLIR 22.

// CHECK-LABEL: @unsigned
// CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b :
func.func @unsigned(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %o: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x8xi8>, tensor<8x4xi8>) outs(%o : tensor<4x4xi32>) -> tensor<4x4xi32>
  func.return %0 : tensor<4x4xi32>
}

// -----

// CHECK-LABEL: @signed
// CHECK: linalg.copy {cast = #linalg.type_fn<cast_signed>} ins(%a :
func.func @signed(%a: tensor<4xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.copy {cast = #linalg.type_fn<cast_signed>} ins(%a : tensor<4xi8>) outs(%o : tensor<4xi32>) -> tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

// As mlir-opt prints it in generic form.
// CHECK-LABEL: @property
// CHECK: linalg.batch_matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b :
func.func @property(%a: tensor<2x4x8xi8>, %b: tensor<2x8x4xi8>, %o: tensor<2x4x4xi32>) -> tensor<2x4x4xi32> {
  %0 = "linalg.batch_matmul"(%a, %b, %o) <{cast = #linalg.type_fn<cast_unsigned>, indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>], operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%x: i8, %y: i8, %out: i32):
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extui %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %out, %3 : i32
    linalg.yield %4 : i32
  }) : (tensor<2x4x8xi8>, tensor<2x8x4xi8>, tensor<2x4x4xi32>) -> tensor<2x4x4xi32>
  func.return %0 : tensor<2x4x4xi32>
}
