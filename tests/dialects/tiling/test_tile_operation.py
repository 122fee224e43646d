"""A tile is the same elements, bit for bit, as in the whole operation: every kind of operation.

The last operation of each kernel in `kernels.mlir` runs whole and in tiles, in the interpreter:
at random boxes and at the corners, with reductions cut in two, and in a loop with a start that is
not known.
"""

import random
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.tiling import LoopRange, Tile
from xdsl_memplan.dialects.tiling_models.tile_values import tile_type
from xdsl_memplan.dialects.tiling_queries import tile_operation, tiling_rule_of
from xdsl_memplan.interpreter.arrays import dtype_of, shape_of
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.model.split_graph import (
    Box,
    SplitOp,
    loops_of,
    operand_box,
    result_box,
    tile_signature,
    whole,
)
from xdsl_memplan.native.context import full_context

KERNELS = [
    text.strip()
    for text in (Path(__file__).parent / "kernels.mlir").read_text().split("// -----\n")
]
NAMES = [text.splitlines()[0].removeprefix("// ") for text in KERNELS]
every_kernel = pytest.mark.parametrize("text", KERNELS, ids=NAMES)


class Kernel:
    """A function whose last operation is tiled; a new one for each tiling."""

    def __init__(self, text: str) -> None:
        self.module: ModuleOp = Parser(full_context(), text).parse_module()
        function = next(op for op in self.module.ops if isinstance(op, FuncOp))
        split = FunctionSplitGraph.of(function)
        self.function = function
        self.operation: Operation = split.operations[-1]
        self.op: SplitOp = split.graph.ops[-1]
        rule = tiling_rule_of(self.operation)
        assert rule is not None
        self.reads = rule.reads
        terminator = function.body.block.last_op
        assert isinstance(terminator, ReturnOp)
        self.terminator = terminator
        self.builder = Builder(InsertPoint.before(terminator))

    def arguments(self) -> list[Any]:
        random_numbers = np.random.default_rng(0)
        values: list[Any] = []
        for argument in self.function.body.block.args:
            if not is_tensor(argument.type):
                values.append(float(np.float32(0.37)))
                continue
            shape, dtype = shape_of(argument.type), dtype_of(argument.type)
            is_float = dtype.kind == "f"
            numbers = (
                random_numbers.normal(size=shape)
                if is_float
                else random_numbers.integers(-100, 100, shape)
            )
            values.append(numbers.astype(dtype))
        return values

    def operands(self, loops: Box) -> list[SSAValue | None]:
        """Slices of what is read, by the boxes that the model says."""
        found: list[SSAValue | None] = []
        for position, read in enumerate(self.reads):
            box = operand_box(self.op, position, loops)
            found.append(None if box is None else self._slice(read.tensor, box))
        return found

    def _slice(self, value: SSAValue, box: Box) -> SSAValue:
        offsets, sizes = [b[0] for b in box], [b[1] - b[0] for b in box]
        type_ = tile_type(value.type, sizes)
        ones = [1] * len(box)
        return self.builder.insert(tensor.ExtractSliceOp(value, offsets, sizes, ones, type_)).result

    def returning(self, values: list[SSAValue]) -> list[Any]:
        """Run the kernel with other results."""
        block = self.function.body.block
        self.terminator.detach()
        self.terminator.erase()
        block.add_op(ReturnOp(*values))
        self.function.update_function_type()
        self.module.verify()
        return run(self.module, self.arguments())


def ranges(loops: Box) -> list[LoopRange]:
    return [LoopRange(start, stop - start) for start, stop in loops]


def boxes_to_try(shape: tuple[int, ...], count: int) -> list[Box]:
    generator = random.Random(1)
    corners = [whole(shape), tuple((0, 1) for _ in shape), tuple((n - 1, n) for n in shape)]
    for _ in range(count):
        box: list[tuple[int, int]] = []
        for extent in shape:
            start = generator.randrange(extent)
            box.append((start, generator.randint(start + 1, extent)))
        corners.append(tuple(box))
    return corners


def part(array: Any, box: Box) -> Any:
    return array[tuple(slice(start, stop) for start, stop in box)]


def assert_same(tile: Any, expected: Any) -> None:
    assert tile.shape == expected.shape
    assert tile.dtype == expected.dtype
    assert tile.tobytes() == expected.tobytes()


def result_shape(kernel: Kernel) -> tuple[int, ...]:
    return shape_of(kernel.operation.results[0].type)


@every_kernel
def test_boxes(text: str) -> None:
    kernel = Kernel(text)
    expected = run(kernel.module, kernel.arguments())
    for box in boxes_to_try(result_shape(kernel), 12):
        kernel = Kernel(text)
        loops = loops_of(kernel.op, box)
        assert result_box(kernel.op, loops) == box
        tile = Tile(ranges(loops), kernel.operands(loops))
        made = kernel.returning([*tile_operation(kernel.operation, tile, kernel.builder)])
        for result, array in zip(made, expected, strict=True):
            assert_same(result, part(array, box))


@every_kernel
def test_reductions_cut(text: str) -> None:
    kernel = Kernel(text)
    expected = run(kernel.module, kernel.arguments())
    for *singles, loop in kernel.op.cuttable:
        extent = kernel.op.loops[loop]
        cuts = [0, 1, extent // 2 + 1, extent]
        for box in boxes_to_try(result_shape(kernel), 2):
            kernel = Kernel(text)
            destinations: list[SSAValue] | None = None
            outer = product(*(range(kernel.op.loops[single]) for single in singles))
            for at, (start, stop) in product(outer, [*pairwise(sorted({*cuts}))]):
                loops = list(loops_of(kernel.op, box))
                for single, index in zip(singles, at, strict=True):
                    loops[single] = (index, index + 1)
                loops[loop] = (start, stop)
                operands = kernel.operands(tuple(loops))
                tile = Tile(ranges(tuple(loops)), operands, destinations)
                made = tile_operation(kernel.operation, tile, kernel.builder)
                destinations = [*made]
            assert destinations is not None
            for result, array in zip(kernel.returning(destinations), expected, strict=True):
                assert_same(result, part(array, box))


def steady_tiles(kernel: Kernel, loop: int) -> list[tuple[Box, int]]:
    """Find runs of neighbouring tiles of two sizes along a loop that look alike.

    Returns loops of the first and the number of tiles, where operands move at a steady pace.
    """
    found: list[tuple[Box, int]] = []
    extent = kernel.op.loops[loop]
    for size in (1, 2):
        for first in range(extent - size):
            count = 1
            while first + (count + 1) * size <= extent and _steady(
                kernel, loop, first, size, count
            ):
                count += 1
            if count > 1:
                found.append((_at(kernel, loop, first, size), count))
                break
    return found


def _at(kernel: Kernel, loop: int, start: int, size: int) -> Box:
    loops = [*whole(kernel.op.loops)]
    loops[loop] = (start, start + size)
    return tuple(loops)


def _steady(kernel: Kernel, loop: int, first: int, size: int, index: int) -> bool:
    """Whether tile `index` looks like the first, and reads as far from it as it should."""
    op, starts = kernel.op, (first, first + size, first + index * size)
    looks = {tile_signature(op, _at(kernel, loop, start, size)) for start in starts}
    if len(looks) != 1:
        return False
    for position in range(len(op.operands)):
        boxes = [operand_box(op, position, _at(kernel, loop, start, size)) for start in starts]
        for a, b, c in zip(*(box or () for box in boxes), strict=True):
            if c[0] - a[0] != index * (b[0] - a[0]):
                return False
    return True


@every_kernel
def test_in_a_loop(text: str) -> None:
    """Tiles along each loop of the result, computed by `scf.for` with a start that is a value."""
    kernel = Kernel(text)
    expected = run(kernel.module, kernel.arguments())
    tried = 0
    for dimension, loop in enumerate(kernel.op.result_access):
        if loop is None or kernel.op.loops[loop] == 1:
            continue
        for loops, count in steady_tiles(kernel, loop):
            tried += 1
            results = run_loop(Kernel(text), loops, loop, dimension, count)
            first, size = loops[loop][0], loops[loop][1] - loops[loop][0]
            covered = [*result_box(kernel.op, loops)]
            covered[dimension] = (first, first + count * size)
            for result, array in zip(results, expected, strict=True):
                assert_same(part(result, tuple(covered)), part(array, tuple(covered)))
    assert tried


def run_loop(kernel: Kernel, loops: Box, loop: int, dimension: int, count: int) -> list[Any]:
    """Compute `count` tiles in a loop and insert each into the results."""
    (first, stop), size = loops[loop], loops[loop][1] - loops[loop][0]

    def number(value: int) -> SSAValue:
        constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
        return kernel.builder.insert(constant).result

    def moved(start: int, pace: int) -> SSAValue:
        product = kernel.builder.insert(arith.MuliOp(induction, number(pace))).result
        return kernel.builder.insert(arith.AddiOp(product, number(start))).result

    results = kernel.operation.results
    outer = kernel.builder
    zeros = [outer.insert(tensor.EmptyOp((), r.type)).tensor for r in results]
    low, high, step = number(0), number(count), number(1)
    body = Block(arg_types=[IndexType(), *(r.type for r in results)])
    induction = body.args[0]
    kernel.builder = Builder(InsertPoint.at_end(body))
    start = moved(first, size)
    operands: list[SSAValue | None] = []
    for position, read in enumerate(kernel.reads):
        box = operand_box(kernel.op, position, loops)
        following = operand_box(kernel.op, position, _at(kernel, loop, stop, size))
        if box is None or following is None:
            operands.append(None)
            continue
        sizes = [b[1] - b[0] for b in box]
        offsets = [moved(a[0], b[0] - a[0]) for a, b in zip(box, following, strict=True)]
        type_ = tile_type(read.tensor.type, sizes)
        ones = [1] * len(sizes)
        sliced = tensor.ExtractSliceOp(read.tensor, offsets, sizes, ones, type_)
        operands.append(kernel.builder.insert(sliced).result)
    tile_ranges = ranges(loops)
    tile_ranges[loop] = LoopRange(first, size, start)
    made = tile_operation(kernel.operation, Tile(tile_ranges, operands), kernel.builder)
    box = result_box(kernel.op, loops)
    yielded: list[SSAValue] = []
    for value, into in zip(made, body.args[1:], strict=True):
        shape = shape_of(value.type)
        inserted = tensor.InsertSliceOp.get(
            value,
            into,
            shape,
            static_offsets=[-(2**63) if d == dimension else b[0] for d, b in enumerate(box)],
            static_strides=[1] * len(shape),
            offsets=[start],
        )
        yielded.append(kernel.builder.insert(inserted).result)
    kernel.builder.insert(scf.YieldOp(*yielded))
    loop_op = outer.insert(scf.ForOp(low, high, step, zeros, Region(body)))
    return kernel.returning([*loop_op.results])
