"""What is computed from one argument alone is in each group that reads it."""

import pytest
from xdsl.dialects.arith import NegfOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.scheduling.splitting import GivenGroup, SplitMachine
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass, group_function

MEMORY = "L1=3KiB,DDR"
GROUP = MemplanGroupPass(memory=MEMORY, threads=1)
T = "tensor<16x16xf32>"


def program(second: str, returned: str = "%d") -> str:
    """Two matrix products; the first multiplies by %w negated, the second by `second`."""
    results = ", ".join([T] * (returned.count(",") + 1))
    return f"""
    func.func @f(%x: {T}, %w: {T}, %v: {T}) -> ({results}) {{
      %zero = arith.constant 0.0 : f32
      %negated = arith.negf %w : {T}
      %other = arith.negf %v : {T}
      %e = tensor.empty() : {T}
      %f = linalg.fill ins(%zero : f32) outs(%e : {T}) -> {T}
      %c = linalg.matmul ins(%x, %negated : {T}, {T}) outs(%f : {T}) -> {T}
      %d = linalg.matmul ins(%c, {second} : {T}, {T}) outs(%f : {T}) -> {T}
      func.return {returned} : {results}
    }}"""


def grouped(text: str) -> ModuleOp:
    """The module with a group of the last matrix product, and one of all that is before."""
    module = in_layers(text)
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))

    def given(graph: SplitGraph) -> list[GivenGroup]:
        last = max(op.layer for op in graph.ops)
        return [GivenGroup(0, last - 1, ((),)), GivenGroup(last, last, ((),))]

    group_function(function, SplitMachine(1 << 20, 64, True, True), "traffic", "DDR", 1, given)
    module.verify()
    return module


def negations_in(parent: Operation) -> int:
    return sum(isinstance(op, NegfOp) for op in parent.regions[0].block.ops)


@pytest.mark.parametrize("second", ["%other", "%negated"])
def test_each_group_has_what_it_reads(second: str):
    module = grouped(program(second))
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    assert [negations_in(group) for group in groups] == [1, 1]
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    assert negations_in(function) == 0


@pytest.mark.parametrize(
    ("second", "returned"), [("%other", "%d"), ("%negated", "%d"), ("%other", "%d, %negated")]
)
def test_groups_with_parameters_compute_the_same(second: str, returned: str):
    text = program(second, returned)
    check(text, arrays_for(parse(text)), GROUP, "auto", MEMORY)
