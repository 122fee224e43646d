// RUN: xdsl-opt --print-debuginfo %s | filecheck %s
// RUN: xdsl-opt --print-debuginfo --print-op-generic %s | xdsl-opt --print-debuginfo | filecheck %s
// RUN: not xdsl-opt -p 'memplan-pipeline{memory="L1=4B,DDR" stage=all}' %s 2>&1 | filecheck %s --check-prefix=ERROR

// Locations as `mlir-opt --mlir-print-debuginfo` writes them: aliases behind the module, metadata, ranges.

// ERROR: error: 'linalg.generic' (operation 2 of @places, loc(fused<"pass">["net.py":5:6, "x"])): the layer that ends here does not fit 4 bytes

#loc1 = loc("x")
// CHECK-LABEL: @places
module {
  func.func @places(%x: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    // CHECK: tensor.empty() : tensor<4xf32> loc(fused<{a = 1 : i32}>["net.py":1:2, "x"])
    %e = tensor.empty() : tensor<4xf32> loc(#loc4)
    // CHECK: linalg.exp {{.*}} loc("net.py":1:2)
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc(#loc2)
    // CHECK: linalg.exp {{.*}} loc(fused<"pass">["net.py":5:6, "x"])
    %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc(fused<"pass">["net.py":5:6 to :9, #loc1])
    // CHECK: return %1 : tensor<4xf32> loc(callsite("f"("net.py":1:2) at "net.py":3:4))
    func.return %1 : tensor<4xf32> loc(#loc6)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("net.py":1:2)
#loc3 = loc("net.py":3:4 to 5:6)
#loc4 = loc(fused<{a = 1 : i32}>[#loc2, #loc1])
#loc5 = loc("f"(#loc2))
#loc6 = loc(callsite(#loc5 at #loc3))

