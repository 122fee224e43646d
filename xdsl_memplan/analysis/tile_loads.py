"""Loads of tiles inside loops of the program, and what they read as loops go on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from xdsl.dialects import scf, tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.executions import guessed_executions, positions, trip_count
from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.analysis.memref_layout import kept_dimensions
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import HOME
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp
from xdsl_memplan.dialects.slice_offsets import offsets_of
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape

Array: TypeAlias = Any
"""A numpy array of int64."""

_AROUND = scf.ForOp | scf.WhileOp | scf.IfOp | scf.IndexSwitchOp
"""What may be between a load and the loop of the program: branches are taken to be."""

_MOST_TILES = 1 << 12
"""An offset that loops give more numbers is not looked at."""


class Region(NamedTuple):
    """Elements of a tensor: where they start, and how many there are, in each dimension."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]


class SourcePart(NamedTuple):
    """The part of a tensor that a load reads, through slices of it."""

    tensor: SSAValue
    offsets: Sequence[Sequence[int | SSAValue]]
    """The summands of the offset of each dimension."""
    sizes: Sequence[int]


class _Starts(NamedTuple):
    """The numbers of one offset, with a dimension for each loop that it moves with."""

    loops: tuple[scf.ForOp, ...]
    numbers: Array


@dataclass(frozen=True)
class TileLoad:
    """A load of which the loops around it tell what it reads."""

    op: LoadOp
    part: SourcePart
    outer: Operation
    """The loop of the program before which its tiles may be loaded."""
    starts: Sequence[_Starts]

    @property
    def loops(self) -> list[scf.ForOp]:
        """Those loops that what it reads moves with."""
        return list(dict.fromkeys(loop for start in self.starts for loop in start.loops))

    @property
    def bytes_read(self) -> int:
        """The bytes that it reads each time that the outer loop runs; guessed if nobody knows."""
        around = self.outer.parent_op()
        assert around is not None
        size = cast(int, size_bytes(self.op.result.type))
        return guessed_executions(self.op, around) * size

    def regions(self, loop: scf.ForOp) -> list[Region]:
        """What is read in the first iteration of a loop, in the first two, and so on."""
        lowest = np.empty((len(self.starts), trip_count(loop) or 0), np.int64)
        highest = np.empty_like(lowest)
        for dimension, start in enumerate(self.starts):
            others = tuple(n for n, other in enumerate(start.loops) if other is not loop)
            lowest[dimension] = start.numbers.min(others)
            highest[dimension] = start.numbers.max(others) + self.part.sizes[dimension]
        starts = np.minimum.accumulate(lowest, axis=1)
        sizes = np.maximum.accumulate(highest, axis=1) - starts
        return [
            Region(tuple(first), tuple(size))
            for first, size in zip(starts.T.tolist(), sizes.T.tolist(), strict=True)
        ]

    def bytes_of(self, region: Region) -> int:
        """The bytes of a region of its source."""
        size = cast(int, size_bytes(self.op.result.type))
        return prod(region.sizes) * size // prod(self.part.sizes)


def tile_loads(function: FuncOp) -> Iterator[TileLoad]:
    """Yield the loads whose source is there before a loop of the program around them.

    Loops of the program are those with `memplan.home`.
    """
    for op in operations_in(function):
        if not isinstance(op, LoadOp) or not size_bytes(op.result.type):
            continue
        part = part_read(op)
        outer = None if part is None else _loop_around(op, part.tensor)
        if part is None or outer is None:
            continue
        starts = [_starts_of(offsets, op, outer) for offsets in part.offsets]
        known = [start for start in starts if start is not None]
        if len(known) == len(starts):
            yield TileLoad(op, part, outer, known)


def part_read(op: LoadOp) -> SourcePart | None:
    """What a load reads, of a tensor that is no slice off chip itself; None if it takes steps."""
    if any(stride != 1 for stride in op.static_strides.get_values()):
        return None
    value = op.source
    offsets: list[list[int | SSAValue]] = [[offset] for offset in offsets_of(op)]
    sizes = list(op.static_sizes.get_values())
    while isinstance(maker := value.owner, tensor.ExtractSliceOp) and HOME in maker.attributes:
        whole = maker.static_sizes.get_values()
        shape = static_shape(value)
        kept = None if shape is None else kept_dimensions(whole, shape)
        if kept is None or any(stride != 1 for stride in maker.static_strides.get_values()):
            return None
        of_slice: list[list[int | SSAValue]] = [[offset] for offset in offsets_of(maker)]
        within = list(whole)
        for dimension, summands, size in zip(kept, offsets, sizes, strict=True):
            of_slice[dimension] += summands
            within[dimension] = size
        offsets, sizes, value = of_slice, within, maker.source
    return SourcePart(value, offsets, sizes)


def _loop_around(op: LoadOp, source: SSAValue) -> Operation | None:
    """The outermost loop of the program around a load that makes nothing of its source."""
    found: Operation | None = None
    parent = op.parent_op()
    while isinstance(parent, _AROUND) and not parent.is_ancestor(source.owner):
        if HOME in parent.attributes and isinstance(parent, scf.ForOp | scf.WhileOp):
            found = parent
        parent = parent.parent_op()
    return found


def _starts_of(summands: Sequence[int | SSAValue], op: LoadOp, outer: Operation) -> _Starts | None:
    fixed = sum(offset for offset in summands if isinstance(offset, int))
    moving = [offset for offset in summands if not isinstance(offset, int)]
    loops = _loops_that_move(moving, op, outer)
    ranges = [positions(loop) or range(0) for loop in loops]
    counts = [len(range_) for range_ in ranges]
    if not 0 < prod(counts) <= _MOST_TILES:
        return None
    starts: list[int] = []
    for at in product(*ranges):
        known = KnownNumbers()
        for loop, position in zip(loops, at, strict=True):
            known.assume(loop.body.block.args[0], position)
        total = fixed
        for offset in moving:
            number = known.of_scalar(offset, ())
            if number is None or number < 0:
                return None
            total += int(number)
        starts.append(total)
    return _Starts(tuple(loops), np.asarray(starts).reshape(counts))


def _loops_that_move(offsets: Sequence[SSAValue], op: LoadOp, outer: Operation) -> list[scf.ForOp]:
    """The loops between a load and an outer one whose counters offsets are computed from."""
    counters: set[SSAValue] = set()
    seen: set[SSAValue] = set()
    values = list(offsets)
    while values:
        value = values.pop()
        maker = value.owner
        if not isinstance(maker, Operation):
            counters.add(value)
        elif value not in seen:
            seen.add(value)
            values.extend(maker.operands)
    loops: list[scf.ForOp] = []
    parent = op.parent_op()
    while parent is not None and parent is not outer:
        if isinstance(parent, scf.ForOp) and parent.body.block.args[0] in counters:
            loops.append(parent)
        parent = parent.parent_op()
    return loops[::-1]
