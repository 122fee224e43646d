// RUN: xdsl-opt -p memplan-bufferize --verify-diagnostics %s | filecheck %s

// The arena is a symbol of the outer module, which an inner one does not see.

// CHECK: cannot bufferize 'func.func' (@inside): only functions at the top of the module can have buffers of its arenas
builtin.module {
  builtin.module @inner {
    func.func @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
  }
}
