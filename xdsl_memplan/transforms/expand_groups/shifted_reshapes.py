"""Reshapes where tiles at the ends are shifted inwards: all reshape what is at hand."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xdsl_memplan.model.split_graph import (
    Box,
    Reshape,
    SplitGraph,
    SplitOperand,
    box_of_range,
    contiguous_box,
    linear_range,
)
from xdsl_memplan.model.tiling_plan import GroupLayout, LoopCut, Span
from xdsl_memplan.transforms.expand_groups.axes import Position


@dataclass(frozen=True)
class ShiftedReshape:
    """One dimension of a reshaped tensor that follows a cut; it is several of the operand.

    Tiles need less than whole rows of the operand, at other places of these. Each reshapes all of
    these dimensions that is at hand, which is as much in all tiles, and takes a part of that.
    """

    cut: int
    merged: tuple[int, ...]
    """Dimensions of the operand."""
    at_hand: tuple[Box, ...]
    """What is reshaped of these, per tile."""
    runs: tuple[tuple[int, int], ...]
    """What that is in the result, per tile: half-open."""

    def operand_box(self, position: Position) -> Box:
        """What a tile reshapes of the merged dimensions."""
        return self.at_hand[position[self.cut]]

    def run(self, position: Position) -> tuple[int, int]:
        """What that is in the result."""
        return self.runs[position[self.cut]]


def shifted_reshapes(
    graph: SplitGraph, layout: GroupLayout, cuts: Sequence[LoopCut], sliced: Collection[int]
) -> dict[int, dict[int, ShiftedReshape]]:
    """For each operation that reshapes what is at hand in the tiles of a shifted cut: dimensions.

    None of those that run slice by slice (`sliced`).
    """
    found: dict[int, dict[int, ShiftedReshape]] = {}
    shifted = {number for number, cut in enumerate(cuts) if cut.halo == "shift"}
    for number, _ in layout.sequence if shifted else ():
        op = graph.ops[number]
        if not op.splittable or number in sliced or len(op.operands) != 1:
            continue
        [operand] = op.operands
        if not isinstance(operand.access, Reshape):
            continue
        for result_dims, merged in operand.access.groups:
            span = layout.loops[number][result_dims[0]] if len(result_dims) == 1 else None
            if span is None or not span.driven or span.first not in shifted:
                continue
            reshape = _shifted_reshape(layout, operand, merged, span)
            if reshape is not None:
                found.setdefault(number, {})[result_dims[0]] = reshape
    return found


def _shifted_reshape(
    layout: GroupLayout, operand: SplitOperand, merged: Sequence[int], span: Span
) -> ShiftedReshape | None:
    """None if tiles lie alike in whole rows, or what they need is not at hand as one run."""
    shape = [operand.shape[d] for d in merged]
    needed = layout.tracks[span.first][span.second].new
    if len({_place(range_, shape) for range_ in needed}) == 1:
        return None
    spans = [layout.tensors[operand.tensor][d] for d in merged]
    if [other.first for other in spans if other.driven] not in ([], [span.first]):
        return None
    boxes: list[Box] = []
    runs: list[tuple[int, int]] = []
    for tile, (start, stop) in enumerate(needed):
        box = tuple(
            layout.tracks[other.first][other.second].new[tile]
            if other.driven
            else (other.first, other.second)
            for other in spans
        )
        run = linear_range(box, shape)
        is_run = all(a < b for a, b in box) and contiguous_box(box, shape) == box
        if start < stop and not (is_run and run[0] <= start and stop <= run[1]):
            return None
        boxes.append(box)
        runs.append(run)
    return ShiftedReshape(span.first, tuple(merged), tuple(boxes), tuple(runs))


def _place(range_: tuple[int, int], shape: Sequence[int]) -> tuple[int, int]:
    """How many elements the least box has that holds a range, and how many before that."""
    first, stop = range_
    if first >= stop:
        return 0, 0
    start, end = linear_range(box_of_range(first, stop, shape), shape)
    return end - start, 0 if end - start == prod(shape) else first - start
