"""The bytes that must be moved whatever is done: what is read of arguments, and the results."""

from xdsl_memplan.model.needed_boxes import needed_boxes
from xdsl_memplan.model.split_graph import Indirect, SplitGraph, box_elements


def least_traffic_bytes(graph: SplitGraph) -> int:
    """Sum up the distinct bytes of arguments and constants that are read, and of results.

    What is never read does not count, nor what is only looked up: tables are read where they lie.
    Results that the function computes count once each; views of arguments, constants and fills need
    not move. Linear.
    """
    boxes = needed_boxes(graph)
    read: set[int] = set()
    looked_up: set[int] = set()
    for op in graph.ops:
        if op.results and not any(result in boxes for result in op.results):
            continue
        for operand in op.operands:
            (looked_up if isinstance(operand.access, Indirect) else read).add(operand.tensor)
    read -= looked_up
    total = 0
    computed = _computed(graph)
    for number, tensor in enumerate(graph.tensors):
        if tensor.returned and number in computed:
            total += tensor.size_bytes
        is_from_outside = tensor.kind in ("argument", "constant")
        if is_from_outside and number in read and number in boxes:
            total += box_elements(boxes[number]) * tensor.element_bytes
    return total


def _computed(graph: SplitGraph) -> set[int]:
    """List what operations make, but views of what they do not."""
    computed: set[int] = set()
    for op in graph.ops:
        if not op.view or any(operand.tensor in computed for operand in op.operands):
            computed.update(op.results)
    return computed
