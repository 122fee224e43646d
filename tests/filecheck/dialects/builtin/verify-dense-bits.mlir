// RUN: xdsl-opt --split-input-file --parsing-diagnostics %s | filecheck %s

// CHECK: 0x1FF800000 has more bits than f32
func.func @bits() {
  %0 = arith.constant dense<0x1FF800000> : tensor<f32>
  return
}

// -----

// CHECK: the string has not the bytes of 20 i1
func.func @bytes() {
  %0 = arith.constant dense<"0x0503"> : tensor<20xi1>
  return
}
