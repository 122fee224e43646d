"""Loops as functions of their own, so that compiling takes time in proportion to their number.

LLVM's optimizations take more than linear time in the size of a function: minutes for a network of
a few thousand operations in one function. So every outermost loop becomes a function (but for
`scf.while`, of which upstream makes none), equal functions become one (the tiles of an operator are
equal), and only these are optimized. What is left of a function is straight-line code, which is
compiled as it stands.
"""

from pathlib import Path

_SCRIPT = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @outermost(%loop: !transform.any_op {transform.readonly})
      -> !transform.any_op {
    transform.match.operation_name %loop ["scf.for", "scf.parallel"]
      : !transform.any_op
    %parent = transform.get_parent_op %loop {nth_parent = 1}
      : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %parent ["func.func"] : !transform.any_op
    transform.yield %loop : !transform.any_op
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %functions = transform.structured.match ops {["func.func"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %plain = transform.param.constant ["noinline", "optnone"] -> !transform.any_param
    transform.annotate %functions "passthrough" = %plain : !transform.any_op, !transform.any_param
    %entry = transform.structured.match ops {["func.func"]} attributes {sym_name = "ENTRY"}
      in %module : (!transform.any_op) -> !transform.any_op
    transform.annotate %entry "llvm.emit_c_interface" : !transform.any_op
    %loops = transform.collect_matching @outermost in %module
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %loops : !transform.any_op {
    ^bb0(%loop: !transform.any_op):
      %function, %call = transform.loop.outline %loop {func_name = "memplan_loops"}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
"""


def outline_passes(entry: str, folder: Path) -> str:
    """Return passes for `mlir-opt` that outline loops and give function `entry` a C interface.

    They read a script that is written into `folder`. The C interface sets `entry` apart from all
    other functions, so that it is not taken for one that is equal to another.
    """
    script = folder / "outline.mlir"
    script.write_text(_SCRIPT.replace("ENTRY", entry), encoding="utf-8")
    return (
        f"transform-preload-library{{transform-library-paths={script}}},"
        "transform-interpreter{disable-expensive-checks=true},duplicate-function-elimination"
    )
