// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=8KiB,DDR"}' --split-input-file --verify-diagnostics %s | filecheck %s

// 2^55 elements of four bytes.

// CHECK: %x, argument 0 of @bytes: tensor<36028797018963968xf32>: with it the tensors have 144115188075855872 bytes, and functions of 2^57 and more are not split
func.func @bytes(%x: tensor<36028797018963968xf32>) -> tensor<36028797018963968xf32> {
  %e = tensor.empty() : tensor<36028797018963968xf32>
  %y = linalg.exp ins(%x : tensor<36028797018963968xf32>) outs(%e : tensor<36028797018963968xf32>) -> tensor<36028797018963968xf32>
  func.return %y : tensor<36028797018963968xf32>
}

// -----

// 2^60 multiply-adds on three tensors of 2^42 bytes.

// CHECK: '%m = linalg.matmul' (operation 4 of @work): with it the function has 1152921504606846976 multiply-adds, and functions of 2^57 and more are not split
func.func @work(%x: tensor<1048576x1048576xf32>, %w: tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1048576x1048576xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
  %m = linalg.matmul ins(%x, %w : tensor<1048576x1048576xf32>, tensor<1048576x1048576xf32>) outs(%f : tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
  func.return %m : tensor<1048576x1048576xf32>
}
