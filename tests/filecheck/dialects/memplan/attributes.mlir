// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// CHECK: memplan.x = #memplan.lifetime<0 : i64, 3 : i64>
builtin.module attributes {memplan.x = #memplan.lifetime<0 : i64, 3 : i64>} {}

// -----

// CHECK: memplan.memories = [#memplan.memory<"L2", 131072 : i64, 64 : i64, 4096 : i64>]
builtin.module attributes {memplan.memories = [#memplan.memory<"L2", 131072 : i64, 64 : i64, 4096 : i64>]} {}

// -----

// CHECK: memplan.plan = #memplan.plan<"first-fit", 300 : i64, 200 : i64, 250 : i64>
builtin.module attributes {memplan.plan = #memplan.plan<"first-fit", 300 : i64, 200 : i64, 250 : i64>} {}
