"""What a `TilingTrait` answers: the rule of an operation, and what a tile of it is made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.ir import SSAValue

from xdsl_memplan.model.split_graph import Access, Box, Iterator


class Read(NamedTuple):
    """A tensor whose elements an operation reads, and how."""

    tensor: SSAValue
    access: Access


@dataclass(frozen=True)
class TilingRule:
    """How an operation computes boxes of its results. The fields are those of `SplitOp`."""

    loops: tuple[int, ...]
    iterators: tuple[Iterator, ...]
    result_access: tuple[int | None, ...]
    """Of all results that have uses."""
    reads: tuple[Read, ...]
    parts: tuple[int, ...] = ()
    view: bool = False
    cuttable: tuple[tuple[int, ...], ...] = ()
    work_per_point: int = 0


@dataclass(frozen=True)
class LoopRange:
    """The indices of one loop that a tile computes.

    With ``dynamic_start`` the tile starts there; ``start`` is where one of the tiles that look like
    it starts, one with the same padding and parts.
    """

    start: int
    size: int
    dynamic_start: SSAValue | None = None


@dataclass(frozen=True)
class Tile:
    """What a tile is computed from.

    ``operands`` are tensors of the boxes that `operand_box` says, one per read of the rule, None
    for what is not read. ``destinations``, if given, take the place of all outputs of a structured
    operation: what earlier parts of a reduction left.
    """

    loops: Sequence[LoopRange]
    operands: Sequence[SSAValue | None]
    destinations: Sequence[SSAValue] | None = None

    @property
    def box(self) -> Box:
        """The box of the loops."""
        return tuple((loop.start, loop.start + loop.size) for loop in self.loops)
