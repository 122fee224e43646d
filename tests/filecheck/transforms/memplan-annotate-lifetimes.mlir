// RUN: xdsl-opt -p memplan-annotate-lifetimes --split-input-file %s | filecheck %s

// Ticks: fill 0, exp 1, add 2. An argument is there from tick 0, a tensor.empty never has contents
// (xDSL prints no attributes on it), a result lives to the end of the function.

// CHECK-LABEL: @straight_line(%x: tensor<4xf32> {memplan.lifetime = #memplan.lifetime<0 : i64, 2 : i64>})
func.func @straight_line(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %f = linalg.fill {memplan.lifetimes = [#memplan.lifetime<0 : i64, 3 : i64>]}
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<1 : i64, 3 : i64>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %z = linalg.add {{.*}}#memplan.lifetime<2 : i64, 3 : i64>
  %z = linalg.add ins(%y, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// A destination that the body does not look at gives shape and place: %y dies at tick 1, not at 2.

// CHECK-LABEL: @unread_destination
func.func @unread_destination(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %w = linalg.exp ins(%z : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  func.return %w : tensor<4xf32>
}

// -----

// A view has the lifetime of what it views; it takes no time. %y is read through it at tick 1.

// CHECK-LABEL: @views
func.func @views(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
  %y = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: tensor.collapse_shape {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
  %v = tensor.collapse_shape %y [[0 : i64, 1 : i64]] : tensor<4x4xf32> into tensor<16xf32>
  %z = linalg.exp ins(%v : tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  func.return %z : tensor<16xf32>
}

// -----

// A read hidden in a region counts: %y is read by the generic at tick 1.

// CHECK-LABEL: @hidden_read
func.func @hidden_read(%x: tensor<4xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: index, %out: f32):
    %r = tensor.extract %y[%in] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// A loop spans its inner ticks, 1 and 2. What is defined outside (%y) lives to the end of the loop, and so
// does what a loop hands on (%b): it is written at 2 and read at 1 of the next iteration, so it
// covers [1, 3), and the result is read at 3.

// CHECK-LABEL: @loop
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 3 : i64>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<4xf32>) {
    // CHECK: %a = linalg.add {{.*}}#memplan.lifetime<1 : i64, 3 : i64>
    %a = linalg.add ins(%acc, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %b = linalg.exp {{.*}}#memplan.lifetime<1 : i64, 4 : i64>
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  // %x and %b are what %r may be: the hull of [0, 4) and [1, 4).
  // CHECK: } {memplan.lifetimes = [#memplan.lifetime<0 : i64, 4 : i64>]}
  }
  %z = linalg.exp ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// The arms of an scf.if come one after the other: ticks 0 and 1.

// CHECK-LABEL: @arms
func.func @arms(%x: tensor<4xf32>, %flag: i1) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.if %flag -> (tensor<4xf32>) {
    // CHECK: %a = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 3 : i64>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    // CHECK: %b = linalg.exp {{.*}}#memplan.lifetime<1 : i64, 3 : i64>
    %b = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %z = linalg.exp ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// scf.while: before (tick 0), then after (tick 1), then before again. What after hands on covers both.

// CHECK-LABEL: @while
func.func @while(%x: tensor<4xf32>, %flag: i1) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.while (%w = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: %a = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
    %a = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.condition(%flag) %a : tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>):
    // CHECK: %b = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 2 : i64>
    %b = linalg.exp ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A call is a tick. @same returns its argument, so %r is %y: %y is read at tick 2.

func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// CHECK-LABEL: @caller
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %y = linalg.exp {{.*}}#memplan.lifetime<0 : i64, 3 : i64>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r = func.call @same(%y) {memplan.lifetimes = [#memplan.lifetime<0 : i64, 3 : i64>]}
  %r = func.call @same(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.exp ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}
