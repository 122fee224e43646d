"""A slice of all elements is the tensor itself, perhaps without dimensions of size 1."""

from typing import cast

import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.parser import Parser

from tests.transforms.test_tangled_programs import check_computes_the_same
from xdsl_memplan.analysis.memref_layout import Memref, is_dense
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

SHAPES = [
    ((4, 3), (4, 3)),
    ((1, 3), (3,)),
    ((3, 1), (3,)),
    ((1, 4, 1, 3, 1), (4, 3)),
    ((1, 1, 3), (1, 3)),
    ((1, 1), ()),
]


def program(old: tuple[int, ...], new: tuple[int, ...]) -> str:
    """Make a tensor, take all of it, and work on that."""

    def t(shape: tuple[int, ...]) -> str:
        return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"

    zeros, ones = [0] * len(old), [1] * len(old)
    return f"""
func.func @main(%n: index, %x: {t(old)}) -> {t(new)} {{
  %e = tensor.empty() : {t(old)}
  %a = linalg.exp ins(%x : {t(old)}) outs(%e : {t(old)}) -> {t(old)}
  %all = tensor.extract_slice %a{zeros} {list(old)} {ones} : {t(old)} to {t(new)}
  %f = tensor.empty() : {t(new)}
  %y = linalg.negf ins(%all : {t(new)}) outs(%f : {t(new)}) -> {t(new)}
  func.return %y : {t(new)}
}}
"""


@pytest.mark.parametrize(("old", "new"), SHAPES)
def test_it_is_worked_on_in_place(old: tuple[int, ...], new: tuple[int, ...]):
    elements = 1
    for size in old:
        elements *= size
    memory = f"L1={4 * elements}:align=4,DDR:align=4"
    stage = MemplanPipelinePass(split="never", rewrite=False, memory=memory, arena="alloc")
    check_computes_the_same(program(old, new), stages=[stage])


@pytest.mark.parametrize(("old", "new"), SHAPES)
def test_it_keeps_the_layout(old: tuple[int, ...], new: tuple[int, ...]):
    module = Parser(full_context(), program(old, new)).parse_module()
    MemplanBufferizePass().apply(full_context(), module)
    assert not [op for op in module.walk() if isinstance(op, memref.SubviewOp)]
    types = [result.type for op in module.walk() for result in op.results]
    memrefs = [cast(Memref, type) for type in types if isinstance(type, MemRefType)]
    assert memrefs
    assert all(map(is_dense, memrefs))
