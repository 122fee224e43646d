// RUN: xdsl-opt --split-input-file --parsing-diagnostics %s | filecheck %s

// An alias that nothing defines, that is defined by itself, or that is no location.

// CHECK: undefined symbol alias '#loc7'
module {
} loc(#loc7)

// -----

// CHECK: undefined symbol alias '#loc8'
module {
} loc(#loc8)
#loc8 = loc(#loc8)

// -----

// CHECK: undefined symbol alias '#loc9'
module {
} loc(#loc9)
#loc9 = 3 : i32
