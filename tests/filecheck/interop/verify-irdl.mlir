// REQUIRES: mlir-opt
// RUN: %mlir_opt --irdl-file=%irdl --split-input-file --verify-diagnostics %s

// What the IRDL text lets mlir-opt reject.

// expected-error @+1 {{attribute "size" is expected but not provided}}
%0 = "memplan.buffer"() {arena = @L2, alignment = 64 : i64} : () -> memref<4xf32>

// -----

// expected-error @+1 {{expected base attribute 'builtin.symbol_ref' but got 'builtin.integer'}}
%0 = "memplan.buffer"() {arena = 2 : i64, size = 16 : i64, alignment = 64 : i64} : () -> memref<4xf32>

// -----

// expected-error @+1 {{expected base type 'builtin.memref' but got 'builtin.tensor'}}
%0 = "memplan.buffer"() {arena = @L2, size = 16 : i64, alignment = 64 : i64} : () -> tensor<4xf32>

// -----

// expected-error @+1 {{expected 2 type arguments, but had 1}}
module attributes {memplan.x = #memplan.lifetime<0 : i64>} {}

// -----

// expected-error @+1 {{expected base attribute 'builtin.integer' but got 'builtin.string'}}
module attributes {memplan.x = #memplan.lifetime<0 : i64, "3">} {}

// -----

// expected-error @+1 {{attribute "sym_name" is expected but not provided}}
"memplan.arena"() {capacity = 1024 : i64} : () -> ()

// -----

// expected-error @+1 {{unregistered operation 'memplan.bufer'}}
"memplan.bufer"() : () -> ()
