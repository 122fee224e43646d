// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic order=keep memory="L1=2560,DDR"}' | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-schedule{objective=traffic memory="L1=2560,DDR"}' | filecheck %s --check-prefix=ANY

// %d needs nothing but the arguments and is read by %e only: with a free order the two are one operator, and %d runs
// right before %e. With order=keep it stays before %c. At %c there are %a, %b, %d, %c: 2048 bytes.
//
// CHECK: memplan.traffic = {bytes = 0 : i64, bound = 0 : i64}
// CHECK: %a = linalg.vecmat
// CHECK: %b = linalg.vecmat
// CHECK: %d = linalg.vecmat
// CHECK: %c = linalg.sub
// CHECK: %e = linalg.add

// ANY: %c = linalg.sub
// ANY-NEXT: %d = linalg.vecmat
// ANY-NEXT: %e = linalg.add
func.func @main(%x: tensor<128xf32>, %w: tensor<128x128xf32>) -> tensor<128xf32> {
  %empty = tensor.empty() : tensor<128xf32>
  %a = linalg.vecmat ins(%x, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %b = linalg.vecmat ins(%a, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %d = linalg.vecmat ins(%x, %w : tensor<128xf32>, tensor<128x128xf32>) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %c = linalg.sub ins(%a, %b : tensor<128xf32>, tensor<128xf32>) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %e = linalg.add ins(%c, %d : tensor<128xf32>, tensor<128xf32>) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  func.return %e : tensor<128xf32>
}
