"""Brings some of the tiles of a tensor on chip before a loop that reads all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.executions import guessed_executions, trip_count
from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.number_arrays import numbers, slice_segments
from xdsl_memplan.dialects.off_chip import HOME
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp
from xdsl_memplan.dialects.slice_offsets import offsets_of
from xdsl_memplan.transforms.noted_bytes import note_bytes

_AROUND = scf.ForOp | scf.WhileOp | scf.IfOp | scf.IndexSwitchOp
"""What may be between a loop of tiles and the loop of the program: branches are taken to be."""

_MOST_TILES = 1 << 12
"""A loop of more tiles is not looked at."""


@dataclass(frozen=True)
class MemplanHoistTilesPass(ModulePass):
    """Bring some of the tiles of a tensor on chip before a loop that reads all of them.

    Before:

    ```mlir
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<1x64xf32>) {
      %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<1x64xf32>) {
        %at = arith.muli %k, %c8 : index
        %v = memplan.load %w[0, %at] [64, 8] [1, 1] : tensor<64x64xf32> to tensor<64x8xf32>
        ...
      }
      ...
    } {memplan.home = "DDR"}
    ```

    After, with room for three tiles:

    ```mlir
    %kept = memplan.load %w[0, 0] [64, 24] [1, 1] : tensor<64x64xf32> to tensor<64x24xf32>
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<1x64xf32>) {
      %q = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %e) -> (tensor<1x64xf32>) {
        %at = arith.muli %k, %c8 : index
        %v = tensor.extract_slice %kept[0, %at] [64, 8] [1, 1] : ...
        ...
      }
      %r = scf.for %k = %c3 to %c8 step %c1 iter_args(%a = %q) -> (tensor<1x64xf32>) {
        %at = arith.muli %k, %c8 : index
        %v = memplan.load %w[0, %at] [64, 8] [1, 1] : tensor<64x64xf32> to tensor<64x8xf32>
        ...
      }
      ...
    } {memplan.home = "DDR"}
    ```

    A weight that is larger than the memory then comes in every iteration only in part. The same
    tiles are computed in the same order.

    Options:

    - `room` (0): bytes that the tiles of one loop of the program may take on chip.

    Loops with `memplan.home` are those of the program, others are of tiles. What
    `memplan-hoist-loads` moves is the same for all tiles.
    """

    name = "memplan-hoist-tiles"

    room: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move tiles in every function of the module ``op``, first those that are read most often.

        Linear in its operations, and in the tiles. Raises PassFailedException for negative room.
        """
        if self.room < 0:
            raise PassFailedException(f"memplan-hoist-tiles: option room={self.room} is negative")
        for function in operations_in(op):
            if isinstance(function, FuncOp):
                # Of loops in each other the inner one first: it is in the outer one as that is cut.
                loops = _loops_with_tiles(function)[::-1]
                taken: dict[Operation, int] = {}
                for loop in sorted(loops, key=lambda loop: loop.times, reverse=True):
                    before = taken.get(loop.outer, 0)
                    taken[loop.outer] = before + loop.hoist(self.room - before)
                if loops:
                    note_bytes(function)


def most_runs(module: ModuleOp) -> int:
    """Tell how often tiles are loaded that may be loaded once, at the most; 0 if there are none."""
    loops = (
        loop
        for function in operations_in(module)
        if isinstance(function, FuncOp)
        for loop in _loops_with_tiles(function)
    )
    return max((loop.times for loop in loops), default=0)


@dataclass(frozen=True)
class _Tiles:
    """What a loop of tiles loads in its iterations."""

    loop: scf.ForOp
    outer: Operation
    """The loop of the program before which tiles may be loaded."""
    positions: range
    """The values of what counts the iterations."""
    loads: Sequence["_Load"]
    times: int
    """How often the loop runs for each time that the outer one does."""

    def hoist(self, room: int) -> int:
        """Load as many tiles as there is room for before the outer loop; return their bytes."""
        count = len(self.positions)
        kept = next((k for k in range(count, 0, -1) if self._bytes_of(k) <= room), 0)
        if kept == 0:
            return 0
        values: dict[SSAValue, SSAValue] = {}
        loop = self.loop
        first = loop.clone(values)
        Rewriter.insert_op(first, InsertPoint.before(loop))
        for load in self.loads:
            load.read_kept(values[load.op.result], kept, self.outer)
        if kept == count:
            Rewriter.replace_op(loop, [], first.results)
        else:
            border = _constant(self.positions[kept], loop.lb.type)
            Rewriter.insert_op(border, InsertPoint.before(first))
            first.operands[1] = loop.operands[0] = border.result
            for number, result in enumerate(first.results):
                loop.operands[len(loop.operands) - len(first.results) + number] = result
        return self._bytes_of(kept)

    def _bytes_of(self, kept: int) -> int:
        return sum(load.bytes_of(kept) for load in self.loads)


@dataclass(frozen=True)
class _Load:
    """A load of one part after another along one dimension."""

    op: LoadOp
    dimension: int
    starts: Sequence[Sequence[int]]
    """The offsets in each iteration; those of the dimension do not fall."""

    def bytes_of(self, kept: int) -> int:
        """The bytes of what so many iterations load, from the first one on."""
        element = cast(int, size_bytes(self.op.result.type)) // prod(self._sizes)
        return prod(self._sizes_of(kept)) * element

    def read_kept(self, copy: SSAValue, kept: int, outer: Operation) -> None:
        """Load the first tiles before a loop; ``copy`` of this load reads them there."""
        op = copy.owner
        assert isinstance(op, LoadOp)
        load = LoadOp(op.source, self.starts[0], self._sizes_of(kept))
        Rewriter.insert_op(load, InsertPoint.before(outer))
        first = self.starts[0][self.dimension]
        offset = offsets_of(op)[self.dimension]
        assert isinstance(offset, SSAValue)
        if first:
            base = _constant(first, offset.type)
            difference = arith.SubiOp(offset, base.result)
            Rewriter.insert_op([base, difference], InsertPoint.before(op))
            offset = difference.result
        rank = len(self._sizes)
        static = [DYNAMIC_INDEX if d == self.dimension else 0 for d in range(rank)]
        Rewriter.replace_op(
            op,
            tensor.ExtractSliceOp.create(
                operands=[load.result, offset],
                result_types=[op.result.type],
                properties={
                    "static_offsets": numbers(static),
                    "static_sizes": op.static_sizes,
                    "static_strides": op.static_strides,
                    "operandSegmentSizes": slice_segments(1),
                },
            ),
        )

    @property
    def _sizes(self) -> Sequence[int]:
        return self.op.static_sizes.get_values()

    def _sizes_of(self, kept: int) -> list[int]:
        sizes = list(self._sizes)
        first, last = self.starts[0], self.starts[kept - 1]
        sizes[self.dimension] += last[self.dimension] - first[self.dimension]
        return sizes


def _loops_with_tiles(function: FuncOp) -> list[_Tiles]:
    found: list[_Tiles] = []
    for loop in operations_in(function):
        if not isinstance(loop, scf.ForOp) or HOME in loop.attributes:
            continue
        loads = [op for op in loop.body.block.ops if isinstance(op, LoadOp)]
        outers = {op: outer for op in loads if (outer := _loop_around(loop, op)) is not None}
        positions = _positions(loop)
        known = _known_loads(loop, positions, list(outers))
        if not known:
            continue
        outer = outers[known[0].op]
        around = outer.parent_op()
        assert around is not None
        runs = guessed_executions(loop, around)
        if runs > 1:
            same = [load for load in known if outers[load.op] is outer]
            found.append(_Tiles(loop, outer, positions, same, runs))
    return found


def _loop_around(loop: Operation, op: LoadOp) -> Operation | None:
    """The outermost loop of the program around a loop of tiles that makes nothing of a source."""
    found: Operation | None = None
    parent = loop.parent_op()
    while isinstance(parent, _AROUND) and not parent.is_ancestor(op.source.owner):
        if HOME in parent.attributes and isinstance(parent, scf.ForOp | scf.WhileOp):
            found = parent
        parent = parent.parent_op()
    return found


def _positions(loop: scf.ForOp) -> range:
    """The values of what counts the iterations; none if they are not known, or too many."""
    first, step = integer_constant(loop.lb), integer_constant(loop.step)
    count = trip_count(loop)
    if first is None or step is None or count is None or count > _MOST_TILES:
        return range(0)
    return range(first, first + count * step, step)


def _known_loads(loop: scf.ForOp, positions: range, loads: Sequence[LoadOp]) -> list[_Load]:
    """Those of the loads that move along one dimension, as far as the loop alone tells."""
    starts: dict[LoadOp, list[list[int]]] = {load: [] for load in loads}
    for position in positions:
        known = KnownNumbers()
        known.assume(loop.body.block.args[0], position)
        for load in loads:
            at = [
                start if isinstance(start, int) else known.of_scalar(start, ())
                for start in offsets_of(load)
            ]
            starts[load].append([-1 if start is None else int(start) for start in at])
    found: list[_Load] = []
    for load, places in starts.items():
        moving = [d for d, along in enumerate(zip(*places, strict=True)) if len(set(along)) > 1]
        is_known = all(start >= 0 for place in places for start in place)
        strides = load.static_strides.get_values()
        if len(moving) == 1 and is_known and all(stride == 1 for stride in strides):
            along = [place[moving[0]] for place in places]
            if along == sorted(along):
                found.append(_Load(load, moving[0], places))
    return found


def _constant(number: int, type_: Attribute) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(number, cast(IndexType, type_)))
