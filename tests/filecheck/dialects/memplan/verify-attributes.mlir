// RUN: xdsl-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: a lifetime starts at tick 0 or later, got -1
builtin.module attributes {memplan.x = #memplan.lifetime<-1 : i64, 3 : i64>} {}

// -----

// CHECK: a lifetime ends after its start, got [3, 2)
builtin.module attributes {memplan.x = #memplan.lifetime<3 : i64, 2 : i64>} {}

// -----

// CHECK: a lifetime ends after its start, got [3, 2)
memplan.arena @L2
%0 = memplan.buffer @L2 size 64 alignment 64 lifetime <3 : i64, 2 : i64> : memref<16xf32>

// -----

// CHECK: a capacity is bytes, or -1 for none, got -2
builtin.module attributes {memplan.x = #memplan.memory<"L2", -2 : i64, 64 : i64, 0 : i64>} {}

// -----

// CHECK: an alignment is at least 1, got 0
builtin.module attributes {memplan.x = #memplan.memory<"L2", -1 : i64, 0 : i64, 0 : i64>} {}

// -----

// CHECK: base 96 is not a multiple of alignment 64
builtin.module attributes {memplan.x = #memplan.memory<"L2", -1 : i64, 64 : i64, 96 : i64>} {}

// -----

// CHECK: expected 0 <= load <= bound <= peak, got load 200, bound 100, peak 300
builtin.module attributes {memplan.x = #memplan.plan<"x", 300 : i64, 200 : i64, 100 : i64>} {}

// -----

// CHECK: expected 0 <= load <= bound <= peak, got load 200, bound 200, peak 100
builtin.module attributes {memplan.x = #memplan.plan<"x", 100 : i64, 200 : i64, 200 : i64>} {}
