// RUN: xdsl-opt %s --split-input-file -p 'memplan-schedule{objective=traffic memory="L1=128,DDR"}' | filecheck %s

// Nothing to schedule.
// CHECK: func.func @empty() attributes {memplan.traffic = {bytes = 0 : i64, bound = 0 : i64}} {
// CHECK-NEXT: func.return
func.func @empty() { func.return }

// -----

// An argument that is returned as it is does not move.
// CHECK: func.func @identity
// CHECK-NEXT: func.return %x
func.func @identity(%x: tensor<8xf32>) -> tensor<8xf32> { func.return %x : tensor<8xf32> }

// -----

// Two reads of %a are one: with %b and %c that is 96 bytes, and the result leaves once.
// CHECK: func.func @twice{{.*}}bytes = 0
// CHECK: [[out:%.*]] = memplan.spill %c to @DDR
// CHECK-NEXT: func.return [[out]], [[out]]
func.func @twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.add ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.mul ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  func.return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

// Several results, each written off chip; %d, which nobody reads, is dropped.
// CHECK: func.func @results{{.*}}bytes = 0
// CHECK-DAG: [[a:%.*]] = memplan.spill %a to @DDR
// CHECK-DAG: [[b:%.*]] = memplan.spill %b to @DDR
// CHECK-NOT: linalg.abs
// CHECK: func.return [[a]], [[b]]
func.func @results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.log ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}
