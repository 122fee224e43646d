// RUN: xdsl-opt %s --split-input-file -p memplan-inline-calls | filecheck %s

// A function that nobody refers to any more is gone. Its constant comes once for both calls.

// CHECK-LABEL: func.func @main(%x: tensor<4xf32>)
// CHECK-NEXT:    %z = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %r = linalg.max ins(%x, %z :
// CHECK-NEXT:    %e = linalg.exp ins(%r :
// CHECK-NEXT:    %r_1 = linalg.max ins(%e, %z :
// CHECK-NEXT:    func.return %r_1
// CHECK-NOT:   @relu
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @relu(%e) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func private @relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.max ins(%a, %z : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// Calls in what is called, and in loops; several results, one of them an argument. What is not
// private stays.

// CHECK-LABEL: func.func @outer
// CHECK:         scf.for
// CHECK-NEXT:      tensor.empty
// CHECK-NEXT:      linalg.exp ins(%c :
// CHECK-NEXT:      linalg.add ins(%{{.*}}, %c :
// CHECK-NEXT:      scf.yield
// CHECK-NOT:       func.call
// CHECK-LABEL: func.func @inner
// CHECK-NOT:   @both
func.func @outer(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %s = func.call @inner(%c) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}
func.func @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e, %b = func.call @both(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = linalg.add ins(%e, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}
func.func private @both(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %o = tensor.empty() : tensor<4xf32>
  %e = linalg.exp ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  func.return %e, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// What has no body, branches, or says so, stays a call; what is referred to otherwise stays.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.call @external(
// CHECK-NEXT:    func.call @branches(
// CHECK-NEXT:    func.call @kernel(
// CHECK-NEXT:    func.call @twice(%{{.*}}) {no_inline}
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    linalg.exp
// CHECK-NEXT:    func.return
// CHECK:       func.func private @twice
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @branches(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = func.call @kernel(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = func.call @twice(%c) {no_inline} : (tensor<4xf32>) -> tensor<4xf32>
  %e = func.call @twice(%d) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %e : tensor<4xf32>
}
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @branches(%a: tensor<4xf32>) -> tensor<4xf32> {
  "cf.br"(%a)[^bb1] : (tensor<4xf32>) -> ()
^bb1(%b: tensor<4xf32>):
  func.return %b : tensor<4xf32>
}
func.func private @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  func.return %a : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %o = tensor.empty() : tensor<4xf32>
  %e = linalg.exp ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  func.return %e : tensor<4xf32>
}
