// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: the capacity of an arena is at least 0, got -1
memplan.arena @L2 capacity -1

// -----

// CHECK: the alignment of an arena is at least 1, got 0
memplan.arena @L2 alignment 0

// -----

// CHECK: the base of an arena is at least 0, got -64
memplan.arena @L2 base -64

// -----

// 96 = 64 + 32.
// CHECK: base 96 is not a multiple of alignment 64
memplan.arena @L2 alignment 64 base 96

// -----

// CHECK: size 2048 is above the capacity of 1024 bytes
memplan.arena @L2 capacity 1024 size 2048

// -----

// CHECK: Redefinition of symbol "L2"
memplan.arena @L2
memplan.arena @L2
