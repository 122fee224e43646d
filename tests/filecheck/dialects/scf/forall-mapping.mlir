// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: MLIR_ROUNDTRIP
// REQUIRES: mlir-opt

// Stock xDSL has none of the processors that a mapping names.

// CHECK: scf.forall
// CHECK: {mapping = [#gpu.block<x>, #gpu.block<linear_dim_3>]}
// CHECK: {mapping = [#gpu.warpgroup<y>]}
// CHECK: {mapping = [#gpu.warp<linear_dim_0>]}
// CHECK: {mapping = [#gpu.thread<z>]}
// CHECK: {mapping = [#gpu.lane<linear_dim_9>]}
func.func @mapped() {
  scf.forall (%i, %j) in (4, 4) {
  } {mapping = [#gpu.block<x>, #gpu.block<linear_dim_3>]}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.warpgroup<y>]}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.warp<linear_dim_0>]}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.thread<z>]}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.lane<linear_dim_9>]}
  return
}
