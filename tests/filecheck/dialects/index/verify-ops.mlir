// RUN: xdsl-opt --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: one type must be `index`, and one an integer
func.func @cast(%x: i8) {
  %0 = index.casts %x : i8 to i32
  return
}
