"""Whose elements each tensor is made of, one to one: sums and arguments, seen through what follows.

A tensor that is computed from another element by element (a ReLU, a sum with something else, a
softmax, a pool, a pad, a transpose, a slice, a reshape) can be made again on chip whenever that
other one is there. Each of its elements needs one that no other needs: as many of its elements are
on chip as of that one's. So the elements of all these tensors are counted as those of their origin.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod

from xdsl_memplan.model.least_traffic import FROM_OUTSIDE
from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Box,
    Reshape,
    SplitGraph,
    SplitOp,
    box_elements,
    whole,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """The tensors of whose elements a tensor is made."""

    tensors: tuple[int, ...]
    """Arguments, constants and results of contractions; several where parts are concatenated."""
    box: Box
    """To each element in it belongs one of an element of `tensors`, to no two the same."""


def origins(graph: SplitGraph, uniform: Collection[int] = ()) -> dict[int, Origin]:
    """Return the origins of the tensors that have any, by position; linear but for concatenations.

    Tensors that can be made of next to nothing have none: of `uniform` ones (one value everywhere),
    of what is repeated, of what is looked up.
    """
    known = {
        number: Origin((number,), whole(tensor.shape))
        for number, tensor in enumerate(graph.tensors)
        if tensor.kind in FROM_OUTSIDE and number not in uniform
    }
    sums: set[int] = set()
    for op in graph.ops:
        if not op.splittable:
            continue
        for result in op.results:
            if op.work_per_point:
                known[result] = Origin((result,), whole(graph.tensors[result].shape))
                sums.add(result)
                continue
            found = _of_all_parts(op, known) or _of_one_operand(op, known, sums)
            if found is not None:
                known[result] = found
    return known


def _of_one_operand(op: SplitOp, known: dict[int, Origin], sums: Collection[int]) -> Origin | None:
    """Return the origin of the best operand: one that is computed, and most elements."""
    best: Origin | None = None
    best_rank = (False, 0)
    for position, operand in enumerate(op.operands):
        origin = known.get(operand.tensor)
        box = None if origin is None else _image(op, position, origin.box)
        if origin is None or box is None:
            continue
        rank = (all(tensor in sums for tensor in origin.tensors), box_elements(box))
        if rank > best_rank:
            best, best_rank = Origin(origin.tensors, box), rank
    return best


def _of_all_parts(op: SplitOp, known: dict[int, Origin]) -> Origin | None:
    """Return the origin of a concatenation of which all parts have one; else None."""
    boxes: list[Box] = []
    tensors: list[int] = []
    for position in op.parts:
        origin = known.get(op.operands[position].tensor)
        box = None if origin is None else _image(op, position, origin.box)
        if origin is None or box is None:
            return None
        boxes.append(box)
        tensors += origin.tensors
    shape = tuple(1 if loop is None else op.loops[loop] for loop in op.result_access)
    covers = sum(map(box_elements, boxes)) == prod(shape) and not any(
        _overlap(one, other) for one, other in combinations(boxes, 2)
    )
    # An element of a tensor that is there twice would count once.
    if not boxes or not covers or len(set(tensors)) < len(tensors):
        return None
    return Origin(tuple(tensors), whole(shape))


def _overlap(one: Box, other: Box) -> bool:
    return all(max(a, c) < min(b, d) for (a, b), (c, d) in zip(one, other, strict=True))


def _image(op: SplitOp, position: int, box: Box) -> Box | None:
    """Return a box of the result whose elements each need an element in `box` that no other needs.

    Of the elements of a window it is one in the middle. Returns None if no such box is found.
    """
    operand = op.operands[position]
    return _image_of(operand.access, box, op.loops, operand.shape, op.result_access)


@lru_cache(maxsize=4096)
def _image_of(
    access: Access,
    box: Box,
    extents: tuple[int, ...],
    shape: tuple[int, ...],
    result_access: tuple[int | None, ...],
) -> Box | None:
    """Return what `_image` does; networks repeat most of their layers."""
    match access:
        case Reshape() if box == whole(shape):
            ranges = dict(enumerate(whole(extents)))
        case Affine():
            result_loops = [loop for loop in result_access if loop is not None]
            ranges = _ranges(access, box, extents, result_loops)
        case _:
            return None
    if ranges is None:
        return None
    return tuple((0, 1) if loop is None else ranges[loop] for loop in result_access)


def _ranges(
    access: Affine, box: Box, extents: Sequence[int], result_loops: Sequence[int]
) -> dict[int, tuple[int, int]] | None:
    """Return the ranges of the result's loops in which each index moves with at most one of them.

    Each of the loops must move an index; None otherwise.
    """
    moving = {loop for loop in result_loops if extents[loop] > 1}
    ranges = {loop: (0, extents[loop]) for loop in result_loops}
    moved: set[int] = set()
    for index, (low, high) in zip(access.indices, box, strict=True):
        own = [term for term in index.terms if term[0] in moving]
        if index.divisor != 1 or index.reach or len(own) > 1:
            return None  # Which element is read is not known.
        middle = index.constant + sum(
            factor * (extents[loop] // 2) for loop, factor in index.terms if loop not in moving
        )
        if not own:
            if not low <= middle < high:
                return None
            continue
        [(loop, factor)] = own
        start, stop = ranges[loop]
        start = max(start, -((middle - low) // factor))
        stop = min(stop, (high - 1 - middle) // factor + 1)
        if start >= stop:
            return None
        ranges[loop] = (start, stop)
        moved.add(loop)
    return ranges if moved == moving else None
