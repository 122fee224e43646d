// RUN: xdsl-opt %s -p memplan-bufferize --verify-diagnostics | filecheck %s

// A constant in a resource cannot become a memref.global of xDSL: refused where it stands.

// CHECK: cannot bufferize '%w = arith.constant' (operation {{[0-9]+}} of @main): a constant in a dense_resource
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
