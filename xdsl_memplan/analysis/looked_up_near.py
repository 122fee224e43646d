"""Which elements of a table are looked up for which iterations, where indices can be known."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, SSAValue

from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.dialects.tiling_models.looked_up import table_accesses, tables
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape
from xdsl_memplan.model.split_graph import Affine, Index, Indirect

_MOST_INNER = 16
"""Iterations of a loop that are taken together, so that indices follow the loop around them."""


class _Range(NamedTuple):
    """The least and the greatest index that is looked up in each iteration of a loop."""

    loop: int
    low: Any
    high: Any


def accesses_near(
    op: GenericOp, loops: Sequence[int], known: Sequence[KnownNumbers]
) -> list[Affine | Indirect]:
    """For each table of an operation what is looked up of it, as sums of its loops, or Indirect.

    For tables that the function computes, and others where that brings in no more than is looked
    up. An index that depends on several loops is near one of them, whatever the others are. What
    any of ``known`` finds is read. Linear in the body and in the extents.
    """
    found: list[Affine | Indirect] = []
    for table in tables(op):
        shape, extracts = static_shape(table), _extracts(op, table)
        if shape is None or not extracts or not _is_fetched(table, extracts, loops, known):
            found.append(Indirect())
            continue
        near = tuple(_near(extracts, d, n, loops, known) for d, n in enumerate(shape))
        narrowed = any(index.terms for index in near)
        found.append(Affine(near) if narrowed else Indirect())
    return found


def accesses_in_room(
    op: GenericOp, loops: Sequence[int], most_bytes: int
) -> list[Affine | Indirect] | None:
    """For each table of an operation what is looked up of it, where small tables are brought in.

    They are those that were given and of which no elements are known to be looked up, that have no
    more elements than are looked up of them, and together no more than so many bytes. None if there
    are none. Linear.
    """
    found: list[Affine | Indirect] = []
    left = most_bytes
    for table, access in zip(tables(op), table_accesses(op), strict=True):
        shape, size = static_shape(table), size_bytes(table.type)
        is_small = (
            isinstance(access, Indirect)
            and not is_computed(table)
            and shape is not None
            and size is not None
            and size <= left
            and prod(shape) <= prod(loops)
            and bool(_extracts(op, table))
        )
        left -= size if is_small and size is not None else 0
        whole = Affine(tuple(Index((), reach=extent - 1) for extent in shape or ()))
        found.append(whole if is_small else access)
    return found if left < most_bytes else None


def loops_to_split(
    op: GenericOp, loops: Sequence[int], known: Sequence[KnownNumbers]
) -> dict[int, int]:
    """Loops of which several iterations look up the same indices, and how many of them.

    Upsampling by eight has indices near an eighth of a loop: with a loop of eight iterations in
    each of its own, they are near the outer one.
    """
    found: dict[int, int] = {}
    for table in tables(op):
        shape, extracts = static_shape(table), _extracts(op, table)
        if shape is None or not _is_fetched(table, extracts, loops, known):
            continue
        for dimension, extent in enumerate(shape):
            for range_ in _ranges(extracts, dimension, extent, loops, known):
                inner = Fraction(extent, len(range_.low)).denominator
                if 1 < inner <= _MOST_INNER and inner < len(range_.low):
                    low = range_.low.reshape(-1, inner).min(axis=1)
                    high = range_.high.reshape(-1, inner).max(axis=1)
                    outer = _band(_Range(range_.loop, low, high), extent)
                    if outer.reach < _band(range_, extent).reach:
                        found.setdefault(range_.loop, inner)
    return found


def _extracts(op: GenericOp, table: SSAValue) -> list[tensor.ExtractOp]:
    """What looks elements up in a table; nothing if something else reads it in the body."""
    found: list[tensor.ExtractOp] = []
    for use in table.uses:
        if use.operation is not op and op.is_ancestor(use.operation):
            if not isinstance(use.operation, tensor.ExtractOp):
                return []
            found.append(use.operation)
    return found


def _near(
    extracts: Sequence[tensor.ExtractOp],
    dimension: int,
    extent: int,
    loops: Sequence[int],
    known: Sequence[KnownNumbers],
) -> Index:
    bands = [_band(r, extent) for r in _ranges(extracts, dimension, extent, loops, known)]
    return min(bands, key=lambda band: band.reach, default=Index((), 0, 1, extent - 1))


def _ranges(
    extracts: Sequence[tensor.ExtractOp],
    dimension: int,
    extent: int,
    loops: Sequence[int],
    known: Sequence[KnownNumbers],
) -> Iterator[_Range]:
    """What is looked up along a dimension, by each loop; nothing if it is not known."""
    found: list[Any] = []
    for extract in extracts:
        for numbers in known:
            index = numbers.of_scalar(extract.indices[dimension], tuple(loops))
            # An index outside of the table is undefined behaviour, and may stay that.
            if index is None or index.min() < 0 or index.max() >= extent:
                return
            found.append(index.reshape(index.shape or (1,) * len(loops)))
    if not found:
        return
    used = {axis for index in found for axis, size in enumerate(index.shape) if size > 1}
    for loop in sorted(used) or range(min(1, len(loops))):
        others = tuple(axis for axis in range(len(loops)) if axis != loop)
        low = [np.broadcast_to(index.min(others), loops[loop]) for index in found]
        high = [np.broadcast_to(index.max(others), loops[loop]) for index in found]
        yield _Range(loop, np.min(low, axis=0), np.max(high, axis=0))


def _band(range_: _Range, extent: int) -> Index:
    """The narrowest band around a multiple of the loop that holds all indices of a range."""
    loop, low, high = range_
    count = len(low)
    best = Index((), int(low.min()), 1, int(high.max() - low.min()))
    slopes = {max(1, extent // count), round(int(low[-1] - low[0]) / max(1, count - 1))}
    for slope in sorted(slopes):
        positions = np.arange(count) * slope
        least, most = int((low - positions).min()), int((high - positions).max())
        if slope > 0 and most - least < best.reach:
            best = Index(((loop, slope),), least, 1, most - least)
    return best


def _is_fetched(
    table: SSAValue,
    extracts: Sequence[tensor.ExtractOp],
    loops: Sequence[int],
    known: Sequence[KnownNumbers],
) -> bool:
    """Tell whether tiles bring in parts of a table, rather than look it up where it lies.

    What the function computes is brought in. What it was given is if all indices are known, and
    there are no more elements between the first and the last of each dimension than are looked up.
    """
    if is_computed(table):
        return True
    spans: list[int] = []
    for dimension, extent in enumerate(static_shape(table) or ()):
        range_ = next(_ranges(extracts, dimension, extent, loops, known), None)
        if range_ is None:
            return False
        spans.append(int(range_.high.max() - range_.low.min()) + 1)
    return prod(spans) <= prod(loops) * len(extracts)


def is_computed(value: SSAValue) -> bool:
    """Tell whether the function computes a tensor, rather than shows what it was given."""
    owner = shown_by(value).owner
    if isinstance(owner, Block):
        return not isinstance(owner.parent_op(), FuncOp)
    return bool(owner.operands)
