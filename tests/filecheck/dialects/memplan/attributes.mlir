// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// CHECK: #memplan.lifetime<0 : i64, 3 : i64>
"test.op"() {lifetime = #memplan.lifetime<0 : i64, 3 : i64>} : () -> ()

// -----

// CHECK: #memplan.memory<"L2", 131072 : i64, 64 : i64, 4096 : i64>
"test.op"() {memory = #memplan.memory<"L2", 131072 : i64, 64 : i64, 4096 : i64>} : () -> ()

// -----

// CHECK: #memplan.plan<"first-fit", 300 : i64, 200 : i64, 250 : i64>
"test.op"() {plan = #memplan.plan<"first-fit", 300 : i64, 200 : i64, 250 : i64>} : () -> ()
