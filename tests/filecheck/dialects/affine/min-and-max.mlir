// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt -p 'memplan-pipeline{memory="L1=64B:align=16,DDR" stage=all}' %s | filecheck %s --check-prefix=SPLIT

// Stock xDSL has no `affine.max`, and takes `affine.min` for an operation with effects, so that loops that say where a part begins with one were not split.

// CHECK-LABEL: @ends
// CHECK: affine.max affine_map<(d0)[s0] -> ((d0 + -1), s0)>(%i)[%c0]
// CHECK-NEXT: affine.min affine_map<(d0) -> ((d0 + 1), 7)> (%i)
// CHECK: affine.max affine_map<() -> (3)>()

// SPLIT-LABEL: @ends
// SPLIT: scf.for
// SPLIT-NEXT: affine.max
// SPLIT-NEXT: affine.min
// SPLIT: "memref.copy"(%{{.*}}, %{{.*}}) : (memref<1x4xf32, strided<[4, 1], offset: ?>>, memref<1x4xf32>) -> ()
// SPLIT: "memref.copy"(%{{.*}}, %{{.*}}) : (memref<1x4xf32, strided<[4, 1], offset: ?>>, memref<1x4xf32>) -> ()
func.func @ends(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %e) -> (tensor<8x4xf32>) {
    %before = affine.max affine_map<(d0)[s0] -> (d0 - 1, s0)>(%i)[%c0]
    %behind = affine.min affine_map<(d0) -> (d0 + 1, 7)>(%i)
    %x = tensor.extract_slice %a[%before, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %y = tensor.extract_slice %a[%behind, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %f = tensor.empty() : tensor<1x4xf32>
    %s = linalg.add ins(%x, %y : tensor<1x4xf32>, tensor<1x4xf32>) outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = tensor.insert_slice %s into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %w : tensor<8x4xf32>
  }
  %three = affine.max affine_map<() -> (3)>()
  func.return %r : tensor<8x4xf32>
}
