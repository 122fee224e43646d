// RUN: xdsl-opt -p convert-memplan-to-memref --split-input-file %s | filecheck %s --check-prefixes=CHECK,GLOBAL
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=argument}' --split-input-file %s | filecheck %s --check-prefixes=CHECK,ARGUMENT
// RUN: xdsl-opt -p 'convert-memplan-to-memref{arena=alloc}' --split-input-file %s | filecheck %s --check-prefixes=CHECK,ALLOC

// Every buffer is a view at its offset; attributes of memplan go.

// CHECK-NOT: memplan
// GLOBAL: "memref.global"() <{sym_name = "L1", type = memref<128xi8>, initial_value, sym_visibility = "private", alignment = 64 : i64}> : () -> ()
memplan.arena @L1 capacity 1024 alignment 64 size 128
// GLOBAL: func.func @main(%x: memref<16xf32>) {
// GLOBAL: %[[A:.*]] = memref.get_global @L1 : memref<128xi8>
// ARGUMENT: func.func @main(%x: memref<16xf32>, %L1: memref<128xi8>) {
// ARGUMENT: %[[A:.*]] = memref.assume_alignment %L1, 64 : memref<128xi8>
// ALLOC: func.func @main(%x: memref<16xf32>) {
// ALLOC: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @main(%x: memref<16xf32> {memplan.lifetime = #memplan.lifetime<0 : i64, 2 : i64>}) attributes {memplan.plan = #memplan.plan<"p", 128 : i64, 128 : i64, 128 : i64>} {
  // CHECK: %[[O:.*]] = arith.constant 64 : index
  // CHECK: %b = memref.view %[[A]][%[[O]]][] : memref<128xi8> to memref<16xf32>
  %b = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  // ALLOC: memref.dealloc %[[A]] : memref<128xi8>
  func.return
}

// -----

// A layout needs a cast of the span: 2 * 15 + 1 + 1 elements.

// CHECK-LABEL: @layout
memplan.arena @L1 alignment 64 size 128
func.func @layout(%x: memref<16xf32>) {
  // CHECK: %[[V:.*]] = memref.view {{.*}} : memref<128xi8> to memref<32xf32>
  // CHECK: memref.reinterpret_cast %[[V]] to offset: [1], sizes: [16], strides: [2] : memref<32xf32> to memref<16xf32, strided<[2], offset: 1>>
  %b = memplan.buffer @L1 size 128 alignment 64 offset 0 : memref<16xf32, strided<[2], offset: 1>>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32, strided<[2], offset: 1>>)
  func.return
}

// -----

// Allocations with an offset become views; freeing them is not needed any more. The arena has their
// memory space.

// CHECK-LABEL: @allocations
memplan.arena @L1 alignment 64 size 64
func.func @allocations(%x: memref<16xf32>) {
  // CHECK: memref.view {{.*}} : memref<64xi8, 1 : i64> to memref<16xf32, 1 : i64>
  // CHECK-NOT: dealloc %b
  %b = memref.alloc() {memplan.offset = 0 : i64, memplan.arena = @L1} : memref<16xf32, 1>
  "memref.copy"(%x, %b) : (memref<16xf32>, memref<16xf32, 1>) -> ()
  memref.dealloc %b : memref<16xf32, 1>
  // ALLOC: memref.dealloc {{.*}} : memref<64xi8, 1 : i64>
  // CHECK: func.return
  func.return
}

// -----

// Functions share the arena. As an argument it is handed on, also by a function without buffers.

memplan.arena @L1 alignment 64 size 64
// CHECK: func.func @leaf
func.func @leaf(%x: memref<16xf32>) {
  // GLOBAL: memref.get_global @L1
  %b = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  func.return
}
// GLOBAL: func.func @root(%x: memref<16xf32>) {
// ARGUMENT: func.func @root(%x: memref<16xf32>, %L1: memref<64xi8>) {
// ALLOC: func.func @root(%x: memref<16xf32>) {
func.func @root(%x: memref<16xf32>) {
  // ALLOC: %[[A:.*]] = memref.alloc()
  // GLOBAL: func.call @leaf(%x) : (memref<16xf32>) -> ()
  // ARGUMENT: func.call @leaf(%x, %{{.*}}) : (memref<16xf32>, memref<64xi8>) -> ()
  // ALLOC: func.call @leaf(%x, %[[A]]) : (memref<16xf32>, memref<64xi8>) -> ()
  func.call @leaf(%x) : (memref<16xf32>) -> ()
  func.return
}

// -----

// A returned buffer is a view: with arena=alloc the caller frees it.

memplan.arena @L1 alignment 64 size 64
// CHECK: func.func @returned
func.func @returned(%x: memref<16xf32>) -> memref<16xf32> {
  // CHECK: %b = memref.view
  %b = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  // CHECK-NOT: dealloc %b
  // CHECK: func.return %b : memref<16xf32>
  func.return %b : memref<16xf32>
}
