// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=128,DDR"}' --verify-diagnostics | filecheck %s

// 2^60 floats are 2^62 bytes; moved three times, that is more than 2^63 - 1.
// CHECK: @main: tensor '%a' of 4611686018427387904 bytes: the bytes that could be moved add up to more than 2^63 - 1
func.func @main(%x: tensor<1152921504606846976xf32>) -> tensor<1152921504606846976xf32> {
  %e = tensor.empty() : tensor<1152921504606846976xf32>
  %a = linalg.exp ins(%x : tensor<1152921504606846976xf32>) outs(%e : tensor<1152921504606846976xf32>) -> tensor<1152921504606846976xf32>
  func.return %a : tensor<1152921504606846976xf32>
}
