// RUN: xdsl-opt %s -p 'memplan-keep-handed-on{memory="L1=64KiB,DDR"}' | filecheck %s
// RUN: xdsl-opt %s -p 'memplan-keep-handed-on{which=0 memory="L1=64KiB,DDR"}' | filecheck %s --check-prefix=FIRST
// RUN: xdsl-opt %s -p 'memplan-keep-handed-on{memory=L1}' | filecheck %s --check-prefix=ONE
// RUN: not xdsl-opt %s -p 'memplan-keep-handed-on{which=3 memory="L1=64KiB,DDR"}' 2>&1 | filecheck %s --check-prefix=WRONG

// The state is loaded before the loop and stored behind it. What is returned and read nowhere else
// is stored slice by slice, right where it belongs, and not kept.

// CHECK-LABEL: func.func @steps
// CHECK-SAME:    memplan.traffic = {total = 1152 : i64}
// CHECK:         %[[H0:.*]] = memplan.load %h0[0] [16]
// CHECK-NEXT:    %y, %h = scf.for %t = %c0 to %c8 step %c1 iter_args(%ya = %e, %ha = %[[H0]])
// CHECK-NEXT:      tensor.extract_slice %x[%t, 0] [1, 16] [1, 1] {memplan.home = "DDR"}
// CHECK:           %s = linalg.add {{.*}}ins(%{{.*}}, %ha :
// CHECK-NEXT:      %[[ROW:.*]] = tensor.expand_shape %s
// CHECK-NEXT:      %[[Y:.*]] = memplan.store %[[ROW]] into %ya[%t, 0] [1, 16] [1, 1] to @DDR
// CHECK-NEXT:      scf.yield %[[Y]], %s
// CHECK-NEXT:    } {memplan.home = ["DDR", "L1"]}
// CHECK-NEXT:    %[[ROOM:.*]] = tensor.empty
// CHECK-NEXT:    %[[LAST:.*]] = memplan.store %h into %[[ROOM]][0] [16] [1] to @DDR
// CHECK-NEXT:    func.return %y, %[[LAST]]

// ONE:           memplan.load %ha
func.func @steps(%x: tensor<8x16xf32>, %h0: tensor<16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>) attributes {memplan.split, memplan.traffic = {total = 1536 : i64}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %y, %h = scf.for %t = %c0 to %c8 step %c1 iter_args(%ya = %e, %ha = %h0) -> (tensor<8x16xf32>, tensor<16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 16] [1, 1] {memplan.home = "DDR"} : tensor<8x16xf32> to tensor<16xf32>
    %0 = tensor.empty() : tensor<16xf32>
    %1 = tensor.empty() : tensor<16xf32>
    %2 = memplan.load %xt[0] [16] [1] : tensor<16xf32> to tensor<16xf32>
    %3 = memplan.load %ha[0] [16] [1] : tensor<16xf32> to tensor<16xf32>
    %4 = linalg.add {memplan.layer = 0 : i64} ins(%2, %3 : tensor<16xf32>, tensor<16xf32>) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %s = memplan.store %4 into %1[0] [16] [1] to @DDR : tensor<16xf32> into tensor<16xf32>
    %yn = tensor.insert_slice %s into %ya[%t, 0] [1, 16] [1, 1] {memplan.home = "DDR"} : tensor<16xf32> into tensor<8x16xf32>
    scf.yield %yn, %s : tensor<8x16xf32>, tensor<16xf32>
  } {memplan.home = "DDR"}
  func.return %y, %h : tensor<8x16xf32>, tensor<16xf32>
}

// What a loop makes slice by slice and another part reads stays on chip with the slices. The slices
// of an argument that is read twice are slices of what is loaded once.

// CHECK-LABEL: func.func @read_again
// CHECK-SAME:    memplan.traffic = {total = 512 : i64}
// CHECK:         memplan.load %x[0, 0] [4, 16]
// CHECK-NEXT:    %[[Y:.*]] = scf.for
// CHECK-NEXT:      tensor.extract_slice %{{.*}}[%t, 0] [1, 16] [1, 1] :
// CHECK-NOT:       memplan.load
// CHECK-NOT:       memplan.store
// CHECK:         } {memplan.home = ["L1"]}
// CHECK:         memplan.store %{{.*}} to @DDR
// CHECK:         func.return

// FIRST:         {memplan.home = ["DDR", "L1"]}
// FIRST:         {memplan.home = "DDR"}
// WRONG: memplan-keep-handed-on: option which=3: there are 3 tensors to keep, counted from 0
func.func @read_again(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {memplan.split, memplan.traffic = {}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x16xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%ya = %e) -> (tensor<4x16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 16] [1, 1] {memplan.home = "DDR"} : tensor<4x16xf32> to tensor<16xf32>
    %0 = tensor.empty() : tensor<16xf32>
    %1 = tensor.empty() : tensor<16xf32>
    %2 = memplan.load %xt[0] [16] [1] : tensor<16xf32> to tensor<16xf32>
    %3 = linalg.exp ins(%2 : tensor<16xf32>) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %s = memplan.store %3 into %1[0] [16] [1] to @DDR : tensor<16xf32> into tensor<16xf32>
    %yn = tensor.insert_slice %s into %ya[%t, 0] [1, 16] [1, 1] {memplan.home = "DDR"} : tensor<16xf32> into tensor<4x16xf32>
    scf.yield %yn : tensor<4x16xf32>
  } {memplan.home = "DDR"}
  %4 = tensor.empty() : tensor<4x16xf32>
  %5 = tensor.empty() : tensor<4x16xf32>
  %6 = memplan.load %y[0, 0] [4, 16] [1, 1] : tensor<4x16xf32> to tensor<4x16xf32>
  %7 = memplan.load %x[0, 0] [4, 16] [1, 1] : tensor<4x16xf32> to tensor<4x16xf32>
  %8 = linalg.add ins(%6, %7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%4 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %9 = memplan.store %8 into %5[0, 0] [4, 16] [1, 1] to @DDR : tensor<4x16xf32> into tensor<4x16xf32>
  func.return %9 : tensor<4x16xf32>
}
