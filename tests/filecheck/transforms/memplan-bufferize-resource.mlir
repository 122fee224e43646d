// RUN: xdsl-opt %s -p memplan-bufferize --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p memplan-bufferize --split-input-file | xdsl-opt --split-input-file | filecheck %s

// A constant in a resource is a global with that resource: one for both uses, its bytes as they were.

// CHECK:      "memref.global"() <{sym_name = "memplan_constant_0", sym_visibility = "private", type = memref<2xf32>, initial_value = dense_resource<weights> : tensor<2xf32>, constant, alignment = 64 : i64}> : () -> ()
// CHECK-NOT:  memref.global
// CHECK:      %w = memref.get_global @memplan_constant_0 : memref<2xf32>
// CHECK-NEXT: linalg.add ins(%x, %w : memref<2xf32>, memref<2xf32>) outs(%y : memref<2xf32>)
// CHECK:      weights: "0x040000000000803F00000040"
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<2xf32>
  %v = arith.constant dense_resource<weights> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %z = linalg.sub ins(%y, %v : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// What is first read inside of a region is there for all that comes after, too.

// CHECK-LABEL: func.func @regions
// CHECK:         %w = memref.get_global @memplan_constant_0 : memref<2xf32>
// CHECK-NEXT:    scf.if
// CHECK-NOT:     get_global
func.func @regions(%b: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = scf.if %b -> (tensor<2xf32>) {
    %y = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  } else {
    %y = linalg.mul ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  }
  %z = linalg.sub ins(%r, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
