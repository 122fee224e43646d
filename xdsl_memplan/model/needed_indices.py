"""What is surely read of arguments where windows leave gaps: in strides longer than they are."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from math import prod
from typing import TypeAlias

from xdsl_memplan.model.split_graph import Access, Affine, Index, Reshape, SplitGraph, SplitOp

Indices: TypeAlias = range | tuple[int, ...]
"""Those of one dimension or loop, ascending: a progression, or some others."""


def has_gaps(graph: SplitGraph) -> bool:
    """Tell whether something is read in steps longer than what is read at each. Linear."""
    return any(
        _leaves_gaps(index, op.loops)
        for op in graph.ops
        for operand in op.operands
        if isinstance(operand.access, Affine)
        for index in operand.access.indices
    )


def surely_read(graph: SplitGraph, wanted: Collection[int]) -> dict[int, int]:
    """Return how many elements are read at the least of tensors that ``wanted`` ones are made of.

    Goes backwards from whole tensors (positions). Of each tensor a few products of indices are
    known, where two that differ in one dimension are one, and the largest is what is read; what is
    read by something else than sums of loops or reshapes of the whole, or with one loop in two
    dimensions, is not followed. Linear in the operands, and in indices for each new question.
    """
    read: dict[int, list[tuple[Indices, ...]]] = {
        tensor: [tuple(range(extent) for extent in graph.tensors[tensor].shape)]
        for tensor in wanted
    }
    for op in reversed(graph.ops):
        made = [product for result in op.results for product in read.get(result, ())]
        if not made or not op.splittable:
            continue
        loops = _loops(op, max(made, key=_elements))
        for position, operand in enumerate(op.operands):
            if op.parts and position not in op.parts:
                continue  # What is no part may be written over.
            found = _indices(operand.access, loops, op.loops, operand.shape)
            if found is not None:
                _add(read.setdefault(operand.tensor, []), found)
    return {tensor: max(map(_elements, products)) for tensor, products in read.items()}


def _leaves_gaps(index: Index, extents: Sequence[int]) -> bool:
    span = 1 + index.reach
    for loop, coefficient in sorted(index.terms, key=lambda term: term[1]):
        if coefficient > span and extents[loop] > 1:
            return True
        span += coefficient * (extents[loop] - 1)
    return False


def _loops(op: SplitOp, made: Sequence[Indices]) -> tuple[Indices, ...]:
    """The iterations that make these elements of a result."""
    loops: list[Indices] = [range(extent) for extent in op.loops]
    for loop, indices in zip(op.result_access, made, strict=True):
        if loop is not None:
            loops[loop] = indices
    return tuple(loops)


@lru_cache(maxsize=4096)
def _indices(
    access: Access, loops: tuple[Indices, ...], extents: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Indices, ...] | None:
    """What all of these iterations read together; None where that is no known product."""
    if isinstance(access, Reshape) and all(map(_is_whole, loops, extents)):
        return tuple(range(extent) for extent in shape)
    if not isinstance(access, Affine):
        return None
    of = [loop for index in access.indices for loop, _ in index.terms if len(loops[loop]) > 1]
    if len(set(of)) < len(of) or any(index.reach for index in access.indices):
        return None
    pairs = zip(access.indices, shape, strict=True)
    return tuple(_of_dimension(index, loops, extent) for index, extent in pairs)


def _of_dimension(index: Index, loops: Sequence[Indices], extent: int) -> Indices:
    sums = {index.constant}
    for loop, coefficient in index.terms:
        sums = {known + coefficient * i for known in sums for i in loops[loop]}
    inside = sorted(s // index.divisor for s in sums if s % index.divisor == 0)
    return _as_indices([i for i in inside if 0 <= i < extent])


def _as_indices(ascending: Sequence[int]) -> Indices:
    if not ascending:
        return ()
    step = ascending[1] - ascending[0] if len(ascending) > 1 else 1
    progression = range(ascending[0], ascending[-1] + 1, step)
    found = tuple(ascending)
    return progression if tuple(progression) == found else found


_MOST_PRODUCTS = 4
"""Products of one tensor that are kept: the largest."""


def _add(products: list[tuple[Indices, ...]], found: tuple[Indices, ...]) -> None:
    """Add a product, as one with each that differs from it in one dimension at most."""
    for number, known in enumerate(products):
        differing = [
            d for d, pair in enumerate(zip(known, found, strict=True)) if pair[0] != pair[1]
        ]
        if len(differing) <= 1:
            del products[number]
            for d in differing:
                both = _as_indices(sorted({*known[d], *found[d]}))
                found = (*found[:d], both, *found[d + 1 :])
            _add(products, found)
            return
    products.append(found)
    if len(products) > _MOST_PRODUCTS:
        products.remove(min(products, key=_elements))


def _is_whole(indices: Indices, extent: int) -> bool:
    return len(indices) == extent


def _elements(indices: Sequence[Indices]) -> int:
    return prod(map(len, indices))
