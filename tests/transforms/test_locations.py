"""Operations of a plan are at the locations of those that they compute."""

import pytest
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.parser import Parser

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

TENSOR = "tensor<64x64xf32>"
PROGRAM = f"""
func.func @main(%x: {TENSOR}, %w: {TENSOR}) -> {TENSOR} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {TENSOR}
  %f = linalg.fill ins(%zero : f32) outs(%e : {TENSOR}) -> {TENSOR}
  %p = linalg.matmul ins(%x, %w : {TENSOR}, {TENSOR}) outs(%f : {TENSOR}) -> {TENSOR}
      loc("model.py":7:3)
  %q = linalg.exp ins(%p : {TENSOR}) outs(%e : {TENSOR}) -> {TENSOR} loc("model.py":8:3)
  func.return %q : {TENSOR}
}}
"""


@pytest.mark.parametrize("memory", ["", "L1=8KiB,DDR"])
def test_operations_of_a_plan_and_of_tiles_are_where_they_were(memory: str):
    context = full_context()
    module = Parser(context, PROGRAM).parse_module()
    MemplanPipelinePass(memory=memory, stage="all" if memory else "none").apply(context, module)
    lines = {"linalg.matmul": 7, "linalg.exp": 8}
    found = [(op.name, op.location) for op in module.walk() if op.name in lines]
    assert {name for name, _ in found} == {*lines}
    for name, location in found:
        assert isinstance(location, FileLineColLoc)
        assert location.line.data == lines[name]


def test_results_of_one_name_are_told_as_the_file_tells_them():
    """Before: `'%r, %r = func.call'`."""
    text = "func.func private @f() -> (f32, f32)\nfunc.func @g() {\n%r:2 = func.call @f() : () -> "
    module = Parser(full_context(), text + "(f32, f32)\nfunc.return\n}").parse_module()
    call = next(op for op in module.walk() if op.name == "func.call")
    assert describe_op(call) == "'%r:2 = func.call' (operation 1 of @g)"
