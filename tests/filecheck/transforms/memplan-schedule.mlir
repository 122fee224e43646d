// RUN: xdsl-opt %s --split-input-file -p memplan-schedule | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'memplan-schedule{order=keep}' | filecheck %s --check-prefix=KEEP

// In the order of the file both tensors of 64 floats are live at once: 2 * 256 bytes, and %p and %a of 16.
// Finishing one branch before the other begins holds one of them.
//
// CHECK-LABEL: @two_branches
// CHECK:      linalg.exp
// CHECK:      linalg.vecmat ins(%p
// CHECK-NEXT: linalg.vecmat ins(%{{big|other}}
// CHECK-NEXT: linalg.vecmat ins(%p
// CHECK-NEXT: linalg.vecmat ins(%{{big|other}}
// CHECK-NEXT: linalg.add
//
// KEEP-LABEL: @two_branches
// KEEP:      %big = linalg.vecmat
// KEEP-NEXT: %other = linalg.vecmat
func.func @two_branches(%x: tensor<4xf32>, %w: tensor<4x64xf32>, %v: tensor<64x4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %p = linalg.exp ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %big = linalg.vecmat ins(%p, %w : tensor<4xf32>, tensor<4x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %other = linalg.vecmat ins(%p, %w : tensor<4xf32>, tensor<4x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.vecmat ins(%big, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.vecmat ins(%other, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// -----

// Nothing is gained: the order of the file stays, though another is as good.
//
// CHECK-LABEL: @no_gain
// CHECK: %big = linalg.vecmat
// CHECK: %a = linalg.vecmat
// CHECK: %other = linalg.vecmat
// CHECK: %b = linalg.vecmat
func.func @no_gain(%x: tensor<4xf32>, %w: tensor<4x64xf32>, %v: tensor<64x4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %p = linalg.exp ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %big = linalg.vecmat ins(%p, %w : tensor<4xf32>, tensor<4x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.vecmat ins(%big, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %other = linalg.vecmat ins(%p, %w : tensor<4xf32>, tensor<4x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.vecmat ins(%other, %v : tensor<64xf32>, tensor<64x4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}
