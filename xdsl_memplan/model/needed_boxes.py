"""Which part of each tensor the results of a function need: what lies outside is never read."""

from collections.abc import Iterable, Mapping
from functools import reduce

from xdsl_memplan.model.split_graph import (
    Box,
    SplitGraph,
    bounding_box,
    loops_of,
    operand_box,
    whole,
)


def needed_boxes(
    graph: SplitGraph, wanted: Mapping[int, Box] | None = None, ops: Iterable[int] | None = None
) -> dict[int, Box]:
    """Propagate boxes backwards from results to what they are made of; linear in the operands.

    Args:
        graph: operations in an order in which each comes after those whose results it reads.
        wanted: boxes of some tensors, by position; by default all of what is returned.
        ops: positions of the operations to go through, ascending; by default all.

    Returns:
        For each tensor that is needed the least box around what its readers need, which may be
        less than the whole: a step over rows leaves the last one out, a class head reads one token.
    """
    boxes: dict[int, Box] = dict(wanted) if wanted is not None else _returned(graph)
    positions = range(len(graph.ops)) if ops is None else list(ops)
    for position in reversed(positions):
        op = graph.ops[position]
        made = [boxes[result] for result in op.results if result in boxes]
        if op.results and not made:
            continue
        loops = ()
        if op.splittable:  # Its results have one shape; others are made as a whole.
            box = reduce(bounding_box, made)
            boxes.update(dict.fromkeys(op.results, box))
            loops = loops_of(op, box)
        for i, operand in enumerate(op.operands):
            read = operand_box(op, i, loops)
            if read is None:
                continue
            known = boxes.get(operand.tensor)
            boxes[operand.tensor] = read if known is None else bounding_box(known, read)
    return boxes


def _returned(graph: SplitGraph) -> dict[int, Box]:
    return {i: whole(t.shape) for i, t in enumerate(graph.tensors) if t.returned}
