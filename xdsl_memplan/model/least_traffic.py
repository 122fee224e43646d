"""The bytes that must be moved whatever is done: what is read of arguments, and the results."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import prod

from xdsl_memplan.model.needed_indices import has_gaps, surely_read
from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Box,
    Indirect,
    Reshape,
    SplitGraph,
    SplitOp,
    bounding_box,
    box_elements,
    loops_of,
    ranges_read,
    reshape_operand_box,
    whole,
)

FROM_OUTSIDE = ("argument", "constant")
"""Kinds of tensors that are off chip before anything is computed."""


def bytes_at_least(
    graph: SplitGraph, read: Mapping[int, int], uniform: Collection[int] = ()
) -> int:
    """Sum up bytes of arguments and constants that are surely read (`bytes_read`), and of results.

    A lower bound on what moves if all is staged. What is never read does not count. Of a table that
    is looked up where it lies as many elements count as indices that may differ, or all of them.
    Results that the function computes count once each; views of arguments, constants and what is
    `uniform` (positions of tensors with one value everywhere) need not move. Linear.
    """
    results = sum(graph.tensors[number].size_bytes for number in _results(graph, uniform))
    return results + sum(read.values())


def bytes_read(
    graph: SplitGraph, needed: Mapping[int, Sequence[Box]], uniform: Collection[int] = ()
) -> dict[int, int]:
    """Return the distinct bytes that are surely read of each argument and constant."""
    stepped = surely_read(graph, _results(graph, uniform)) if has_gaps(graph) else {}
    looked_up = _looked_up(graph, needed)
    return {
        number: max(
            elements_in_all(needed.get(number, ())),
            stepped.get(number, 0),
            looked_up.get(number, 0),
        )
        * graph.tensors[number].element_bytes
        for number in sorted({*needed, *looked_up})
        if graph.tensors[number].kind in FROM_OUTSIDE
    }


def _looked_up(graph: SplitGraph, needed: Mapping[int, Sequence[Box]]) -> dict[int, int]:
    """Count, for each table, the elements that one operation looks up: the most of any.

    Of operations all of whose results are needed: others may have fewer iterations.
    """
    shown = {op.results[0]: op.operands[0].tensor for op in graph.ops if op.view and op.operands}
    found: dict[int, int] = {}
    for op in graph.ops:
        is_whole = op.results and all(
            whole(graph.tensors[result].shape) in needed.get(result, ()) for result in op.results
        )
        for operand in op.operands if is_whole else ():
            if isinstance(operand.access, Indirect):
                table = operand.tensor
                while table in shown:
                    table = shown[table]
                elements = min(operand.access.distinct, box_elements(whole(operand.shape)))
                found[table] = max(found.get(table, 0), elements)
    return found


def _results(graph: SplitGraph, uniform: Collection[int]) -> list[int]:
    """What the function computes and returns, but for tensors with one value everywhere."""
    computed = _computed(graph)
    return [
        number
        for number, tensor in enumerate(graph.tensors)
        if tensor.returned and number in computed and number not in uniform
    ]


def surely_needed(graph: SplitGraph, uniform: Collection[int] = ()) -> dict[int, list[Box]]:
    """Return, for tensors that are read, a few boxes all of whose elements are read. Linear.

    Of what is looked up near a sum of loops (an index with a `reach`) all that may be read counts,
    as every tile must hold it.

    `uniform` are positions of tensors with one value everywhere: as results they need no reading.
    """
    computed = _computed(graph)
    needed: dict[int, list[Box]] = {
        number: [whole(graph.tensors[number].shape)] for number in _results(graph, uniform)
    }
    for op in reversed(graph.ops):
        made = [box for result in op.results for box in needed.get(result, ())]
        if op.results and not made:
            continue
        runs = dict.fromkeys(loops_of(op, box) for box in made) if op.splittable else [()]
        for position, operand in enumerate(op.operands):
            # The place of what is read is known at run time only.
            is_looked_up = isinstance(operand.access, Indirect) or (op.view and not op.splittable)
            if is_looked_up and operand.tensor not in computed:
                continue
            for part in (part for loops in runs for part in _not_overwritten(op, position, loops)):
                for box in _boxes_in_full(operand.access, part, op.loops, operand.shape):
                    _add(needed.setdefault(operand.tensor, []), box)
    return needed


def elements_in_all(boxes: Sequence[Box]) -> int:
    """Count the elements in any of a few boxes, by inclusion and exclusion."""
    total = 0
    for count in range(1, len(boxes) + 1):
        for chosen in combinations(boxes, count):
            common = [
                (max(start for start, _ in ranges), min(stop for _, stop in ranges))
                for ranges in zip(*chosen, strict=True)
            ]
            elements = prod(max(0, stop - start) for start, stop in common)
            total += elements if count % 2 else -elements
    return total


def _not_overwritten(op: SplitOp, operand: int, loops: Box) -> list[Box]:
    """Return the parts of a box of loops for which an operand is surely read.

    All of the box; but of what a slice is inserted into only what lies beside the slice.
    """
    if not op.parts or operand in op.parts:
        return [loops]
    first_part, *others = op.parts
    if others:
        return []
    written = _written_by(op, first_part)
    beside: list[Box] = []
    for loop, ((start, stop), (first, end)) in enumerate(zip(loops, written, strict=True)):
        for side in ((start, min(stop, first)), (max(start, end), stop)):
            if side[0] < side[1]:
                beside.append((*loops[:loop], side, *loops[loop + 1 :]))
    return beside


def _written_by(op: SplitOp, part: int) -> Box:
    """Return a box of the loops that holds all for which a part is read."""
    ranges = list(whole(op.loops))
    read = op.operands[part]
    if isinstance(read.access, Affine):
        for index, extent in zip(read.access.indices, read.shape, strict=True):
            match index.terms:
                case ((loop, 1),) if index.reach == 0:
                    first = -index.constant
                    ranges[loop] = (first, first + index.divisor * (extent - 1) + 1)
                case _:
                    pass
    return tuple(ranges)


@lru_cache(maxsize=4096)
def _boxes_in_full(
    access: Access, loops: Box, extents: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Box, ...]:
    """Return boxes all of which a box of loops reads, as far as some are known.

    Where is known at run time only what is read, all must be there. Networks repeat most layers.
    """
    parts = [loops]
    if isinstance(access, Affine):
        parts = [_without_gaps(access, loops)]
    elif isinstance(access, Reshape):
        parts = _in_pieces(access, loops, extents, shape)
    read = [ranges_read(access, part, extents, shape) for part in parts]
    return tuple(ranges for ranges in read if all(start < stop for start, stop in ranges))


def _without_gaps(access: Affine, loops: Box) -> Box:
    """Return part of a box of loops that reads a whole box: steps leave gaps, and diagonals do."""
    ranges = list(loops)
    seen: set[int] = set()
    for index in access.indices:
        span = 1 + index.reach
        for loop, coefficient in sorted(index.terms, key=lambda term: term[1]):
            start, stop = ranges[loop]
            if coefficient > span or loop in seen:
                ranges[loop] = (start, start + 1)
            else:
                span += coefficient * (stop - start - 1)
            seen.add(loop)
    return tuple(ranges)


def _in_pieces(
    access: Reshape, loops: Box, extents: tuple[int, ...], shape: tuple[int, ...]
) -> list[Box]:
    """Return parts of a box of a result that are boxes of the operand in its shape, too."""
    pieces = [loops]
    for group in access.groups:
        pieces = [
            _in_one_piece(group, part, extents, shape)
            for piece in pieces
            for part in _cut_at_rows(group, piece, shape)
        ]
    return pieces


def _cut_at_rows(
    group: tuple[tuple[int, ...], tuple[int, ...]], loops: Box, shape: tuple[int, ...]
) -> list[Box]:
    """Cut a range of what several dimensions became into boxes of these."""
    dimensions, others = group
    sizes = [shape[other] for other in others]
    if len(dimensions) != 1 or 0 in sizes:
        return [loops]
    (dimension,) = dimensions
    rows = [prod(sizes[number:]) for number in range(1, len(sizes))]
    return [
        (*loops[:dimension], part, *loops[dimension + 1 :])
        for part in _at_rows(*loops[dimension], rows)
        if part[0] < part[1]
    ]


def _at_rows(start: int, stop: int, rows: Sequence[int]) -> list[tuple[int, int]]:
    """Cut a range into whole rows and what is beside them, that into shorter rows, and so on."""
    if not rows:
        return [(start, stop)]
    row, *shorter = rows
    first, end = -(-start // row) * row, stop // row * row
    if first > end:
        return _at_rows(start, stop, shorter)
    return [*_at_rows(start, first, shorter), (first, end), *_at_rows(end, stop, shorter)]


def _in_one_piece(
    group: tuple[tuple[int, ...], tuple[int, ...]],
    loops: Box,
    extents: tuple[int, ...],
    shape: tuple[int, ...],
) -> Box:
    """Return part of a box of a result that is a box in the dimensions of a group, too."""
    ranges = list(loops)
    dimensions, others = group
    for dimension in dimensions:
        box = reshape_operand_box([group], tuple(ranges), extents, shape)
        if _points(box, others) == _points(ranges, dimensions):
            break
        start, _ = ranges[dimension]
        ranges[dimension] = (start, start + 1)
    return tuple(ranges)


def _points(box: Sequence[tuple[int, int]], dimensions: Sequence[int]) -> int:
    return prod(box[d][1] - box[d][0] for d in dimensions)


_MOST_BOXES = 4
"""Boxes of one tensor that are kept: the largest."""


def _add(boxes: list[Box], box: Box) -> None:
    """Add a box; where it is a box together with one that is there, both become that."""
    for number, known in enumerate(boxes):
        differing = [i for i, pair in enumerate(zip(known, box, strict=True)) if pair[0] != pair[1]]
        if len(differing) <= 1 and all(
            max(known[i][0], box[i][0]) <= min(known[i][1], box[i][1]) for i in differing
        ):
            boxes[number] = bounding_box(known, box)
            return
    boxes.append(box)
    if len(boxes) > _MOST_BOXES:
        boxes.remove(min(boxes, key=box_elements))


def _computed(graph: SplitGraph) -> set[int]:
    """List what operations make, but views of what they do not."""
    computed: set[int] = set()
    for op in graph.ops:
        if not op.view or any(operand.tensor in computed for operand in op.operands):
            computed.update(op.results)
    return computed
