// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=4KiB,DDR"}' %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-pipeline{memory="L1=4KiB,DDR" stage=all summary=true}' %s 2>&1 | filecheck %s --check-prefix=SAYS

// 2 * 256^3 / sqrt(1024) elements and more must be fetched, as 4 KiB hold 1024 of them.

// CHECK: func.func @product{{.*}}memplan.traffic = {floor = 786432 : i64, capacity_floor = 4186110 : i64}
// SAYS: @product: {{[0-9]+}} bytes move between the memories in all (at least {{4[0-9]+}} must with so much room)
func.func @product(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.matmul ins(%x, %y : tensor<256x256xf32>, tensor<256x256xf32>) outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  func.return %c : tensor<256x256xf32>
}
