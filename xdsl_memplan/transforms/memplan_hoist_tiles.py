"""Brings some of the tiles of a tensor on chip before a loop that reads all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.executions import positions
from xdsl_memplan.analysis.tile_loads import Region, TileLoad, part_read, tile_loads
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.number_arrays import numbers, slice_segments
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp
from xdsl_memplan.transforms.noted_bytes import note_bytes
from xdsl_memplan.transforms.unread import erase_unread


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

    Loops with `memplan.home` are those of the program, others are of tiles. Any loop inside of the
    one before which tiles are loaded may be cut, the program's too: weights of one layer after
    another are kept for the first layers. What `memplan-hoist-loads` moves is the same for all
    tiles.
    """

    name = "memplan-hoist-tiles"

    room: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move tiles in every function of the module ``op``, first those that are read most often.

        Linear in its operations and in the tiles, for each loop of tiles that is cut. Raises
        PassFailedException for negative room.
        """
        if self.room < 0:
            raise PassFailedException(f"memplan-hoist-tiles: option room={self.room} is negative")
        for function in operations_in(op):
            if isinstance(function, FuncOp) and _hoist_in(function, self.room):
                # Slices off chip of which tiles were loaded.
                erase_unread(function)
                note_bytes(function)


def most_runs(module: ModuleOp) -> int:
    """Tell how often tiles are loaded that may be loaded once, at the most; 0 if there are none."""
    found = (
        tiles.in_iterations(tiles.count).runs
        for function in operations_in(module)
        if isinstance(function, FuncOp)
        for tiles in _tiles_in(function)
    )
    return max((runs for runs in found if runs > 1), default=0)


def rooms_for_tiles(module: ModuleOp, most: int) -> list[int]:
    """List in ascending order for how much room, up to the most, other tiles are loaded."""
    rooms: set[int] = set()
    for function in operations_in(copied_operation(module)):
        if isinstance(function, FuncOp):
            rooms |= _hoist_in(function, most)
    return sorted(room for room in rooms if room <= most)


def _hoist_in(function: FuncOp, room: int) -> set[int]:
    """Load tiles before loops of the program until nothing more fits.

    Returns the bytes that any choice of tiles takes together with what is loaded before it.
    """
    rooms: set[int] = set()
    taken: dict[Operation, int] = {}
    while True:
        found: list[_Kept] = []
        for tiles in _tiles_in(function):
            before = taken.get(tiles.outer, 0)
            rooms.update(before + size for size in tiles.sizes)
            if (kept := tiles.that_fit(room - before)) is not None:
                found.append(kept)
        if not found:
            return rooms
        best = max(found, key=lambda kept: (kept.runs, kept.bytes_read, kept.is_all))
        outer = best.tiles.outer
        taken[outer] = taken.get(outer, 0) + best.size_bytes
        best.tiles.hoist(best.iterations)


@dataclass(frozen=True)
class _Tiles:
    """What some loads bring on chip as a loop goes on."""

    loop: scf.ForOp
    loads: Sequence[TileLoad]

    @property
    def outer(self) -> Operation:
        """The loop of the program before which tiles may be loaded."""
        return self.loads[0].outer

    @property
    def count(self) -> int:
        """The iterations of the loop."""
        return len(self.sizes)

    @cached_property
    def _regions(self) -> list[list[Region]]:
        """For each load what it reads in the first iteration, in the first two, and so on."""
        return [load.regions(self.loop) for load in self.loads]

    @cached_property
    def sizes(self) -> list[int]:
        """The bytes of what the first iteration reads, the first two, and so on."""
        sizes = (
            map(load.bytes_of, regions)
            for load, regions in zip(self.loads, self._regions, strict=True)
        )
        return [sum(together) for together in zip(*sizes, strict=True)]

    @cached_property
    def _bytes_read(self) -> int:
        return sum(load.bytes_read for load in self.loads)

    def that_fit(self, room: int) -> "_Kept | None":
        """The most tiles that have room and save bytes; None if there are none."""
        kept = map(self.in_iterations, range(self.count, 0, -1))
        return next((some for some in kept if some.size_bytes <= room and some.runs > 1), None)

    def in_iterations(self, iterations: int) -> "_Kept":
        """The tiles of the first iterations."""
        read = self._bytes_read * iterations // self.count
        return _Kept(self, iterations, self.sizes[iterations - 1], read)

    def hoist(self, iterations: int) -> None:
        """Load what the first iterations read before the outer loop."""
        loop = self.loop
        regions = [regions[iterations - 1] for regions in self._regions]
        if iterations == self.count:
            for load, region in zip(self.loads, regions, strict=True):
                _read_kept(load.op, region, self.outer)
            return
        values: dict[SSAValue, SSAValue] = {}
        first = loop.clone(values)
        Rewriter.insert_op(first, InsertPoint.before(loop))
        for load, region in zip(self.loads, regions, strict=True):
            copy = values[load.op.result].owner
            assert isinstance(copy, LoadOp)
            _read_kept(copy, region, self.outer)
        counted = positions(loop)
        assert counted is not None
        border = _constant(counted[iterations], loop.lb.type)
        Rewriter.insert_op(border, InsertPoint.before(first))
        first.operands[1] = loop.operands[0] = border.result
        for number, result in enumerate(first.results):
            loop.operands[len(loop.operands) - len(first.results) + number] = result


class _Kept(NamedTuple):
    """Tiles of the first iterations of a loop, on chip."""

    tiles: _Tiles
    iterations: int
    size_bytes: int
    bytes_read: int
    """What is read of them each time that the outer loop runs."""

    @property
    def runs(self) -> int:
        """How often each of their bytes is read."""
        return self.bytes_read // self.size_bytes

    @property
    def is_all(self) -> bool:
        return self.iterations == self.tiles.count


def _tiles_in(function: FuncOp) -> Iterator[_Tiles]:
    """The loads that one loop moves, all together and each alone."""
    found: dict[tuple[Operation, Operation], list[TileLoad]] = {}
    loops: dict[Operation, scf.ForOp] = {}
    for load in tile_loads(function):
        for loop in load.loops:
            loops[loop] = loop
            found.setdefault((loop, load.outer), []).append(load)
    for (loop, _), loads in found.items():
        yield _Tiles(loops[loop], loads)
        if len(loads) > 1:
            for load in loads:
                yield _Tiles(loops[loop], [load])


def _read_kept(op: LoadOp, region: Region, outer: Operation) -> None:
    """Load a region before a loop; a load reads its tile there."""
    part = part_read(op)
    assert part is not None
    load = LoadOp(part.tensor, region.starts, region.sizes)
    Rewriter.insert_op(load, InsertPoint.before(outer))
    static: list[int] = []
    dynamic: list[SSAValue] = []
    for summands, start in zip(part.offsets, region.starts, strict=True):
        fixed = sum(offset for offset in summands if isinstance(offset, int)) - start
        moving = [offset for offset in summands if not isinstance(offset, int)]
        if moving:
            if fixed:
                moving.append(_inserted(_constant(fixed, moving[0].type), op))
            dynamic.append(reduce(lambda a, b: _inserted(arith.AddiOp(a, b), op), moving))
        static.append(DYNAMIC_INDEX if moving else fixed)
    Rewriter.replace_op(
        op,
        tensor.ExtractSliceOp.create(
            operands=[load.result, *dynamic],
            result_types=[op.result.type],
            properties={
                "static_offsets": numbers(static),
                "static_sizes": numbers(part.sizes),
                "static_strides": numbers([1] * len(static)),
                "operandSegmentSizes": slice_segments(len(dynamic)),
            },
        ),
    )


def _inserted(op: arith.ConstantOp | arith.AddiOp, before: Operation) -> SSAValue:
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.result


def _constant(number: int, type_: Attribute) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(number, cast(IndexType, type_)))
