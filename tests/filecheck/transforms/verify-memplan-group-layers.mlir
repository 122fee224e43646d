// RUN: xdsl-opt -p 'memplan-group{memory="L1=256,DDR"}' --split-input-file --verify-diagnostics %s | filecheck %s

// Nobody has run memplan-form-layers: not as if the function could not be split.

// CHECK: '%y = linalg.exp' (operation 2 of @unnumbered): memplan-group works on layers in ascending order, and this operation has no layer: run memplan-form-layers right before it
func.func @unnumbered(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %y = linalg.exp ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %y : tensor<128xf32>
}

// -----

// A pass in between has made an operation without a number.

// CHECK: '%z = linalg.exp' (operation 3 of @partly): {{.*}} has no layer
func.func @partly(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %y = linalg.exp {memplan.layer = 0 : i64} ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %z = linalg.exp ins(%y : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %z : tensor<128xf32>
}

// -----

// CHECK: '%z = linalg.exp' (operation 3 of @descending): {{.*}} is of layer 0 and stands behind layer 1
func.func @descending(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %y = linalg.exp {memplan.layer = 1 : i64} ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %z = linalg.exp {memplan.layer = 0 : i64} ins(%y : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %z : tensor<128xf32>
}

// -----

// What memplan-form-layers leaves alone has no numbers to ask for.

// CHECK: @branches
func.func @branches(%x: tensor<128xf32>, %c: i1) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %y = scf.if %c -> (tensor<128xf32>) {
    %z = linalg.exp ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
    scf.yield %z : tensor<128xf32>
  } else {
    scf.yield %x : tensor<128xf32>
  }
  func.return %y : tensor<128xf32>
}
