// RUN: xdsl-opt -p memplan-insert-deallocs --verify-diagnostics --split-input-file %s | filecheck %s

// Tensors have no buffers yet, so that there is nothing to work on.

// CHECK: '%c = tensor.empty' (operation 1 of @tensors): memplan-insert-deallocs works on buffers, and here are tensors and no buffer: run memplan-bufferize first
func.func @tensors() -> tensor<4xf32> {
  %c = tensor.empty() : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
