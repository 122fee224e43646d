"""What must be read where strides leave gaps, against counting one element after the other."""

import random
from itertools import permutations, product

import pytest
from xdsl.context import Context
from xdsl.dialects.func import FuncOp

from tests.transforms.test_split_programs import parse
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.model.needed_indices import has_gaps, surely_read
from xdsl_memplan.model.split_graph import (
    Affine,
    Index,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
)
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Expression = tuple[int, int, int, int]
"""Stride and dilation of a window of three, constant, divisor."""


def window(of: Expression, loop: int) -> Index:
    stride, dilation, constant, divisor = of
    return Index(((loop, stride), (loop + 2, dilation)), constant, divisor)


def chain(first: list[Expression], second: list[Expression], sizes: list[int]) -> SplitGraph:
    """Windows of windows of an argument, in two dimensions."""
    kinds = ("parallel", "parallel", "reduction", "reduction")
    shapes = [(n, n + 1) for n in sizes]
    ops = [
        SplitOp(
            "windows",
            (made + 1,),
            (SplitOperand(made, shapes[made], Affine((window(of[0], 0), window(of[1], 1)))),),
            True,
            (*shapes[made + 1], 3, 3),
            kinds,
            (0, 1),
        )
        for made, of in enumerate([first, second])
    ]
    return SplitGraph(
        (
            SplitTensor("x", shapes[0], 4, "argument"),
            SplitTensor("y", shapes[1], 4, "value"),
            SplitTensor("z", shapes[2], 4, "value", returned=True),
        ),
        tuple(ops),
    )


def read_one_by_one(graph: SplitGraph) -> set[tuple[int, ...]]:
    wanted = set(product(*map(range, graph.tensors[2].shape)))
    for op in reversed(graph.ops):
        [operand] = op.operands
        assert isinstance(operand.access, Affine)
        read: set[tuple[int, ...]] = set()
        for point in product(*map(range, op.loops)):
            if point[:2] not in wanted:
                continue
            sums = [
                index.constant + sum(c * point[loop] for loop, c in index.terms)
                for index in operand.access.indices
            ]
            divisors = [index.divisor for index in operand.access.indices]
            if any(s % d for s, d in zip(sums, divisors, strict=True)):
                continue
            at = tuple(s // d for s, d in zip(sums, divisors, strict=True))
            if all(0 <= i < n for i, n in zip(at, operand.shape, strict=True)):
                read.add(at)
        wanted = read
    return wanted


@pytest.mark.parametrize("seed", range(40))
def test_as_many_as_are_read_one_by_one(seed):
    chance = random.Random(seed)

    def expressions() -> list[Expression]:
        numbers = [(1, 5), (1, 4), (-3, 2), (1, 2)]
        return [tuple(chance.randint(*pair) for pair in numbers) for _ in range(2)]

    graph = chain(expressions(), expressions(), [chance.randint(4, 12) for _ in range(3)])
    assert surely_read(graph, [2]).get(0, 0) == len(read_one_by_one(graph))


ALL, HALF = "tensor<5x8xf32>", "tensor<5x4xf32>"


def every_other(start: int, name: str) -> str:
    return f"""
  %{name} = tensor.extract_slice %q[0, {start}] [5, 4] [1, 2] : {ALL} to {HALF}
  %n{name} = linalg.negf ins(%{name} : {HALF}) outs(%e : {HALF}) -> {HALF}"""


INTERLEAVED = f"""
func.func @main(%x: tensor<5x3xf32>, %w: tensor<3x8xf32>) -> ({HALF}, {HALF}) {{
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : {ALL}
  %e = tensor.empty() : {HALF}
  %f = linalg.fill ins(%zero : f32) outs(%d : {ALL}) -> {ALL}
  %q = linalg.matmul ins(%x, %w : tensor<5x3xf32>, tensor<3x8xf32>) outs(%f : {ALL}) -> {ALL}
  {every_other(0, "a")}
  {every_other(1, "b")}
  func.return %na, %nb : {HALF}, {HALF}
}}
"""


def test_even_and_odd_columns_are_all_columns():
    """As rotary embeddings of neighbours read them."""
    function = parse(INTERLEAVED).body.block.first_op
    assert isinstance(function, FuncOp)
    graph = FunctionSplitGraph.of(function).graph
    names = [tensor.name for tensor in graph.tensors]
    wanted = [number for number, tensor in enumerate(graph.tensors) if tensor.returned]
    read = surely_read(graph, wanted)
    assert [read[names.index(name)] for name in ("x", "w")] == [15, 24]


@pytest.mark.parametrize("order", [*permutations(range(4))], ids=str)
def test_four_slices_are_the_whole_image(order: tuple[int, ...]):
    """As patches are merged: every other row and column, from each of four elements."""
    slices = [
        SplitOp(
            "slice",
            (made + 1,),
            (SplitOperand(0, (6, 8), Affine((Index(((0, 2),), y), Index(((1, 2),), x)))),),
            True,
            (3, 4),
            ("parallel", "parallel"),
            (0, 1),
        )
        for made, (y, x) in enumerate(product((0, 1), repeat=2))
    ]
    parts = [SplitTensor(f"y{n}", (3, 4), 4, "value", returned=True) for n in range(4)]
    image = SplitTensor("x", (6, 8), 4, "argument")
    graph = SplitGraph((image, *parts), tuple(slices[n] for n in order))
    assert surely_read(graph, range(1, 5))[0] == 48


@pytest.mark.parametrize(
    ("stride", "dilation", "gaps"), [(3, 1, False), (4, 1, True), (2, 2, True)]
)
def test_gaps_are_between_windows_and_within(stride, dilation, gaps):
    plain: list[Expression] = [(1, 1, 0, 1)] * 2
    graph = chain([(stride, dilation, 0, 1)] * 2, plain, [9, 9, 9])
    assert has_gaps(graph) == gaps


def test_gaps_are_not_closed_by_what_is_read_at_every_second_sum_only():
    plain: list[Expression] = [(1, 1, 0, 1)] * 2
    assert has_gaps(chain([(8, 1, 0, 2)] * 2, plain, [20, 9, 9]))


def test_a_plan_that_reads_only_windows_is_optimal(capsys):
    """Columns of two in steps of three: 25,312 bytes are moved, of which 7,112 were proved."""
    module = parse("""
func.func @main(%x: tensor<1x5x37x41xf32>, %w: tensor<7x5x5x2xf32>) -> tensor<1x7x11x14xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<1x7x11x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<1x7x11x14xf32>) -> tensor<1x7x11x14xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<3> : vector<2xi64>}
    ins(%x, %w : tensor<1x5x37x41xf32>, tensor<7x5x5x2xf32>)
    outs(%f : tensor<1x7x11x14xf32>) -> tensor<1x7x11x14xf32>
  func.return %c : tensor<1x7x11x14xf32>
}
""")  # noqa: E501
    MemplanPipelinePass(memory="L1=8KiB,DDR", stage="all", summary=True).apply(Context(), module)
    least = 4 * (5 * 35 * 28 + 7 * 5 * 5 * 2 + 7 * 11 * 14)
    printed = capsys.readouterr().err
    assert f"@main: {least} bytes move between the memories in all (optimal)" in printed
