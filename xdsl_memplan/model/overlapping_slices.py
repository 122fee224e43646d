"""Views of one tensor that overlap: what they share is fetched for each of them, or once."""

from math import prod

from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    Reshape,
    SplitGraph,
    SplitOp,
    bounding_box,
    box_elements,
    operand_box,
    whole,
)


def has_overlapping_slices(graph: SplitGraph) -> bool:
    """Tell whether the box of all views of some tensor has fewer elements than they have.

    Views are slices with indices that are sums of loops. What lies between the elements of one with
    steps is in the box, so that even and odd elements do not overlap. Of an argument they are also
    other shapes of it, and what is read of it as it is counts once. Linear.
    """
    boxes: dict[int, Box] = {}
    elements: dict[int, int] = {}
    as_it_is: dict[int, Box] = {}
    for op in graph.ops:
        for number, operand in enumerate(op.operands):
            tensor = operand.tensor
            is_argument = graph.tensors[tensor].kind == "argument"
            if not (_is_slice(op, number) or is_argument):
                continue
            box = _box(op, number)
            if box is None:
                continue
            if op.view:
                boxes[tensor] = bounding_box(boxes.get(tensor, box), box)
                elements[tensor] = elements.get(tensor, 0) + prod(op.loops)
            else:
                as_it_is[tensor] = bounding_box(as_it_is.get(tensor, box), box)
    for tensor, box in boxes.items():
        read = as_it_is.get(tensor)
        if read is not None:
            elements[tensor] += box_elements(read)
            box = bounding_box(box, read)
        if box_elements(box) < elements[tensor]:
            return True
    return False


def _is_slice(op: SplitOp, number: int) -> bool:
    return op.view and number == 0 and isinstance(op.operands[0].access, Affine)


def _box(op: SplitOp, number: int) -> Box | None:
    """Return what is read of an operand in all; None if nothing is, or it is looked up."""
    if not isinstance(op.operands[number].access, Affine | Reshape):
        return None
    return operand_box(op, number, whole(op.loops))
