"""The bytes that must be moved whatever is done: what is read of arguments, and the results."""

from collections.abc import Collection

from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    Indirect,
    Reshape,
    SplitGraph,
    SplitOp,
    Whole,
    bounding_box,
    box_elements,
    loops_of,
    operand_box,
    whole,
)


def least_traffic_bytes(graph: SplitGraph, uniform: Collection[int] = ()) -> int:
    """Sum up bytes of arguments and constants that are surely read, and of results.

    A lower bound on what moves if all is staged. Of each tensor one box counts, all of whose
    elements are read. What is never read does not count, nor what is only looked up: tables are
    read where they lie. Results that the function computes count once each; views of arguments,
    constants and what is `uniform` (positions of tensors with one value everywhere) need not move.
    Linear.
    """
    computed = _computed(graph).difference(uniform)
    boxes = {
        number: whole(tensor.shape)
        for number, tensor in enumerate(graph.tensors)
        if tensor.returned and number in computed
    }
    total = sum(graph.tensors[number].size_bytes for number in boxes)
    looked_up: set[int] = set()
    for op in reversed(graph.ops):
        made = [boxes[result] for result in op.results if result in boxes]
        if op.results and not made:
            continue
        loops = loops_of(op, max(made, key=box_elements)) if op.splittable else ()
        for position, operand in enumerate(op.operands):
            if isinstance(operand.access, Indirect):
                looked_up.add(operand.tensor)
            box = _surely_read(op, position, loops)
            if box is not None:
                boxes[operand.tensor] = _of_both(boxes.get(operand.tensor, box), box)
    for number, tensor in enumerate(graph.tensors):
        is_from_outside = tensor.kind in ("argument", "constant")
        if is_from_outside and number in boxes and number not in looked_up:
            total += box_elements(boxes[number]) * tensor.element_bytes
    return total


def _surely_read(op: SplitOp, operand: int, loops: Box) -> Box | None:
    """Return a box of an operand that a box of loops reads whole; None if none is known."""
    if op.parts and operand not in op.parts:
        return None  # A part may be written over it.
    match op.operands[operand].access:
        case Affine(indices):
            if any(index.divisor != 1 for index in indices):
                return None
            ranges = list(loops)
            seen: set[int] = set()
            for index in indices:
                span = 1
                for loop, coefficient in sorted(index.terms, key=lambda term: term[1]):
                    start, stop = ranges[loop]
                    if coefficient > span or loop in seen:  # A step leaves gaps, a diagonal too.
                        ranges[loop] = (start, start + 1)
                    else:
                        span += coefficient * (stop - start - 1)
                    seen.add(loop)
            return operand_box(op, operand, tuple(ranges))
        case Reshape():
            box = operand_box(op, operand, loops)
            return box if box and box_elements(box) == box_elements(loops) else None
        case Whole():
            return None if op.view else operand_box(op, operand, loops)
        case Indirect():
            return None


def _of_both(first: Box, second: Box) -> Box:
    """Return the union of two boxes if it is a box, else the larger of them."""
    around = bounding_box(first, second)
    differing = [i for i, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
    if len(differing) <= 1 and all(
        max(first[i][0], second[i][0]) <= min(first[i][1], second[i][1]) for i in differing
    ):
        return around
    return max(first, second, key=box_elements)


def _computed(graph: SplitGraph) -> set[int]:
    """List what operations make, but views of what they do not."""
    computed: set[int] = set()
    for op in graph.ops:
        if not op.view or any(operand.tensor in computed for operand in op.operands):
            computed.update(op.results)
    return computed
