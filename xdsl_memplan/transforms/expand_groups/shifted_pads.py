"""Padding where tiles at the ends are shifted inwards: all tiles pad as much."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.ir import Operation

from xdsl_memplan.model.split_graph import Affine, SplitGraph
from xdsl_memplan.model.tiling_plan import GroupLayout, LoopCut, Span
from xdsl_memplan.transforms.expand_groups.axes import Position


@dataclass(frozen=True)
class ShiftedPad:
    """One dimension of a padded tensor that follows a cut.

    Each tile pads a part of the operand, of the same size in all, on both sides. What its readers
    need lies somewhere in that: at the ends of the row there is padding, else more of the operand
    may be there than padding, which nobody reads.
    """

    cut: int
    low: int
    """Where the operand starts in the padded tensor."""
    starts: tuple[int, ...]
    """The first element of the operand that is padded, per tile."""
    width: int
    """Elements of the operand."""
    before: int
    """Padding before them."""
    after: int
    """Padding behind them."""

    @property
    def size(self) -> int:
        """Elements of a tile once they are padded."""
        return self.before + self.width + self.after

    @property
    def first_of_tile(self) -> int:
        """The first element of a tile, padded, if the operand of the tile were all there is."""
        return self.low - self.before

    def operand_range(self, position: Position) -> tuple[int, int]:
        """What a tile pads of the operand."""
        start = self.starts[position[self.cut]]
        return start, start + self.width

    def padded_start(self, position: Position) -> int:
        """Where in the padded tensor a tile begins."""
        return self.starts[position[self.cut]] + self.low - self.before


def shifted_pads(
    graph: SplitGraph, operations: Sequence[Operation], layout: GroupLayout, cuts: Sequence[LoopCut]
) -> dict[int, dict[int, ShiftedPad]]:
    """For each operation that pads as much in all tiles of a shifted cut: its dimensions."""
    found: dict[int, dict[int, ShiftedPad]] = {}
    shifted = {number for number, cut in enumerate(cuts) if cut.halo == "shift"}
    for number, _ in layout.sequence if shifted else ():
        op = graph.ops[number]
        if not isinstance(operations[number], tensor.PadOp) or not op.splittable:
            continue
        [operand] = op.operands
        if not isinstance(operand.access, Affine):
            continue
        spans = layout.tensors[op.results[0]]
        for dimension, (span, index) in enumerate(zip(spans, operand.access.indices, strict=True)):
            if span.driven and span.first in shifted:
                ranges = layout.tracks[span.first][span.second].new
                extent = operand.shape[dimension]
                # Constants have no ranges: they are made as a whole wherever they are needed.
                known = layout.tensors.get(operand.tensor)
                there = known[dimension] if known else Span(driven=False, first=0, second=extent)
                around = _at_hand(layout, there, span.first)
                pad = shifted_pad(ranges, -index.constant, extent, around, span.first)
                if pad is not None:
                    found.setdefault(number, {})[dimension] = pad
    return found


Ranges = Sequence[tuple[int, int]]
"""Half-open, one per tile."""


def _at_hand(layout: GroupLayout, span: Span, cut: int) -> Ranges:
    """What is surely at hand of a tensor in the tiles of a cut."""
    if span.driven and span.first != cut:
        return [(0, 0)] * layout.tiles(cut)
    if not span.driven:
        return [(span.first, span.second)] * layout.tiles(cut)
    return layout.tracks[cut][span.second].new


def shifted_pad(
    ranges: Ranges, low: int, extent: int, at_hand: Ranges, cut: int
) -> ShiftedPad | None:
    """What all tiles pad of an operand of `extent` elements with padding of `low` before it.

    `ranges` of the padded tensor are needed. None without padding, or if a tile has nothing but
    padding, or if what it would pad is not at hand.
    """
    inside = [(max(0, start - low), min(extent, end - low)) for start, end in ranges]
    if any(start >= end for start, end in inside):
        return None
    width = max(end - start for start, end in inside)
    starts = tuple(min(start, extent - width) for start, _ in inside)
    pairs = list(zip(starts, ranges, strict=True))
    before = max(0, *(mine + low - start for mine, (start, _) in pairs))
    after = max(0, *(end - low - mine - width for mine, (_, end) in pairs))
    is_at_hand = all(
        first <= start and start + width <= last
        for start, (first, last) in zip(starts, at_hand, strict=True)
    )
    if (before, after) == (0, 0) or not is_at_hand:
        return None
    return ShiftedPad(cut, low, starts, width, before, after)
