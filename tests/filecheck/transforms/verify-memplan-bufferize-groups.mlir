// RUN: xdsl-opt -p 'memplan-form-layers,memplan-group{memory="L1=256,DDR"},memplan-bufferize{memory="L1=256,DDR"}' --verify-diagnostics %s | filecheck %s

// A group that nobody has expanded says which pass is missing.

// CHECK: cannot bufferize '%y = memplan.group' {{.*}}: a group is no tiles yet: run memplan-expand-groups first
func.func @main(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %y = linalg.exp ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  func.return %y : tensor<128xf32>
}
