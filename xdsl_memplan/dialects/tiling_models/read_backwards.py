"""Indexing maps that go through a dimension backwards, such as `(i) -> (7 - i)`: a reversal.

Tiles hold all that the loops that go backwards may reach, as a `reach` of the index; an operation
on a tile reads a slice of it.
"""

from collections.abc import Sequence
from functools import lru_cache

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from xdsl_memplan.dialects.tiling import LoopRange
from xdsl_memplan.dialects.tiling_models.tile_values import index_value, shape_of, sliced

Terms = tuple[tuple[int, int], ...]
"""Loops, ascending, and what each is multiplied by; none by 0."""


@lru_cache(maxsize=4096)
def sums_of_loops(map_: AffineMap) -> tuple[tuple[Terms, int], ...] | None:
    """Return terms and constant of each index of a map; None if one is no sum of loops."""
    indices: list[tuple[Terms, int]] = []
    for expression in map_.results:
        terms: dict[int, int] = {}
        constant = _add_terms(expression, 1, terms)
        if constant is None:
            return None
        kept = tuple((loop, factor) for loop, factor in sorted(terms.items()) if factor)
        indices.append((kept, constant))
    return tuple(indices)


def span_backwards(terms: Terms, sizes: Sequence[int]) -> int:
    """Return how far loops of so many iterations go backwards."""
    return sum(-factor * (sizes[loop] - 1) for loop, factor in terms if factor < 0)


def slice_read(
    tile: SSAValue,
    map_: AffineMap,
    extents: Sequence[int],
    loops: Sequence[LoopRange],
    builder: Builder,
) -> SSAValue:
    """Return what a tile of the loops reads of the tile of an operand that holds all.

    ``extents`` are those of the loops of the whole operation. Where nothing goes backwards it is
    the tile of the operand itself.
    """
    sums = sums_of_loops(map_)
    assert sums is not None
    sizes = [loop.size for loop in loops]
    if all(factor > 0 for terms, _ in sums for _, factor in terms):
        return tile
    shape = [1 + sum(abs(factor) * (sizes[loop] - 1) for loop, factor in t) for t, _ in sums]
    if tuple(shape) == shape_of(tile):
        return tile
    offsets = [_offset(terms, extents, loops, builder) for terms, _ in sums]
    return sliced(tile, offsets, shape, [1] * len(shape), shape, builder)


def _offset(
    terms: Terms, extents: Sequence[int], loops: Sequence[LoopRange], builder: Builder
) -> int | SSAValue:
    """Where what a tile reads begins in all that may be reached: earlier for later tiles."""
    sizes = [loop.size for loop in loops]
    last = span_backwards(terms, extents) - span_backwards(terms, sizes)
    offset: int | SSAValue = last
    for number, factor in terms:
        loop = loops[number]
        if factor > 0:
            continue
        if loop.dynamic_start is None and isinstance(offset, int):
            offset += factor * loop.start
            continue
        before = offset if isinstance(offset, SSAValue) else index_value(offset, builder)
        start = loop.dynamic_start or index_value(loop.start, builder)
        if factor != -1:
            start = builder.insert(arith.MuliOp(start, index_value(-factor, builder))).result
        offset = builder.insert(arith.SubiOp(before, start)).result
    return offset


def _add_terms(expression: AffineExpr, factor: int, terms: dict[int, int]) -> int | None:
    """Add a sum of products of loops and numbers to `terms`; return its constant."""
    match expression:
        case AffineDimExpr():
            terms[expression.position] = terms.get(expression.position, 0) + factor
            return 0
        case AffineConstantExpr():
            return factor * expression.value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            left = _add_terms(expression.lhs, factor, terms)
            right = _add_terms(expression.rhs, factor, terms)
            return None if left is None or right is None else left + right
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
            for number, other in (
                (expression.lhs, expression.rhs),
                (expression.rhs, expression.lhs),
            ):
                if isinstance(number, AffineConstantExpr):
                    return _add_terms(other, factor * number.value, terms)
            return None
        case _:
            return None
