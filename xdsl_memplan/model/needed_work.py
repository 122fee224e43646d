"""How much work the results of a function need, each element computed once."""

from math import prod

from xdsl_memplan.model.needed_boxes import needed_boxes
from xdsl_memplan.model.split_graph import SplitGraph, box_elements, loops_of


def needed_work(graph: SplitGraph) -> int:
    """Return the multiply-adds of the elements that the results need; linear in the operands."""
    boxes = needed_boxes(graph)
    work = 0
    for op in graph.ops:
        made = [boxes[result] for result in op.results if result in boxes]
        if made and op.work_per_point:
            points = box_elements(loops_of(op, made[0])) if op.splittable else prod(op.loops)
            work += points * op.work_per_point
    return work
