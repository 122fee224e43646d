"""Slices of one tensor that overlap: what they share is fetched for each of them, or once."""

from math import prod

from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    SplitGraph,
    bounding_box,
    box_elements,
    operand_box,
    whole,
)


def has_overlapping_slices(graph: SplitGraph) -> bool:
    """Tell whether the box of all slices of some tensor has fewer elements than they have.

    Slices are views with indices that are sums of loops. What lies between the elements of one with
    steps is in the box, so that even and odd elements do not overlap. Linear.
    """
    boxes: dict[int, Box] = {}
    elements: dict[int, int] = {}
    for op in graph.ops:
        if not (op.view and isinstance(op.operands[0].access, Affine)):
            continue
        tensor, box = op.operands[0].tensor, operand_box(op, 0, whole(op.loops))
        if box is not None:
            boxes[tensor] = bounding_box(boxes.get(tensor, box), box)
            elements[tensor] = elements.get(tensor, 0) + prod(op.loops)
    return any(box_elements(box) < elements[tensor] for tensor, box in boxes.items())
