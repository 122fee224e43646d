"""The last element that a memref layout reaches: strides, affine maps, other layouts."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import MemRefLayoutAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

ENUMERATED = 1 << 16
"""Extents up to this are tried index by index; beyond, the range is estimated from above."""

_OFFSETS: dict[type[Attribute], Callable[[Any], int | None]] = {}


def attach_layout_offset(
    layout_class: type[Attribute], offset: Callable[[Any], int | None]
) -> None:
    """Say how to read the offset (in elements) of layouts whose affine map leaves it out.

    ``offset`` gets the layout and returns None where it is not known at compile time. Layouts whose
    map is complete, as `MemRefLayoutAttr` asks for, need nothing.
    """
    _OFFSETS[layout_class] = offset


def last_element(layout: Attribute, shape: Sequence[int]) -> int | None:
    """Return the largest index that elements of a static ``shape`` without zeros have in memory.

    It is exact where every term of an affine map depends on one dimension of up to `ENUMERATED`
    elements, as in tiled layouts, and not less than the truth otherwise.

    Returns:
        None if it is not known at compile time, or an element lies before the start.
    """
    if not isinstance(layout, MemRefLayoutAttr):
        return None
    strides, offset = layout.get_strides(), layout.get_offset()
    if strides is None:
        return _last_of_map(layout, shape)
    if offset is None:
        return None
    last = offset
    for extent, stride in zip(shape, strides, strict=True):
        if stride is None or stride < 0:
            return None
        last += (extent - 1) * stride
    return last


def _last_of_map(layout: MemRefLayoutAttr, shape: Sequence[int]) -> int | None:
    offset_of = _OFFSETS.get(cast(type[Attribute], type(layout)), lambda layout: 0)
    offset = offset_of(layout)
    try:
        affine_map = layout.get_affine_map()
    except NotImplementedError:  # What layouts with dynamic parts raise.
        return None
    if offset is None or affine_map.num_symbols or len(affine_map.results) != 1:
        return None
    least, most = _range_of_sum(affine_map.results[0], shape)
    return None if least + offset < 0 else most + offset


def _range_of_sum(expression: AffineExpr, shape: Sequence[int]) -> tuple[int, int]:
    """Add up the ranges of groups of terms that share no dimension: exact for one dimension."""
    groups: dict[frozenset[int], list[AffineExpr]] = {}
    for term in _terms(expression):
        groups.setdefault(_dimensions(term), []).append(term)
    least = most = 0
    for dimensions, terms in groups.items():
        low, high = _range_of_group(dimensions, terms, shape)
        least, most = least + low, most + high
    return least, most


def _range_of_group(
    dimensions: frozenset[int], terms: Sequence[AffineExpr], shape: Sequence[int]
) -> tuple[int, int]:
    if len(dimensions) == 1:
        [dimension] = dimensions
        extent = shape[dimension]
        if extent <= ENUMERATED:
            at = [0] * len(shape)
            values: list[int] = []
            for at[dimension] in range(extent):
                values.append(sum(term.eval(at, []) for term in terms))
            return min(values), max(values)
    ranges = [_range(term, shape) for term in terms]
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def _terms(expression: AffineExpr) -> list[AffineExpr]:
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is AffineBinaryOpKind.Add:
        return _terms(expression.lhs) + _terms(expression.rhs)
    return [expression]


def _dimensions(expression: AffineExpr) -> frozenset[int]:
    match expression:
        case AffineBinaryOpExpr():
            return _dimensions(expression.lhs) | _dimensions(expression.rhs)
        case AffineDimExpr():
            return frozenset({expression.position})
        case _:
            return frozenset()


def _range(expression: AffineExpr, shape: Sequence[int]) -> tuple[int, int]:
    """Bound an expression by interval arithmetic; divisors and moduli are constants."""
    match expression:
        case AffineDimExpr():
            return 0, shape[expression.position] - 1
        case AffineConstantExpr():
            return expression.value, expression.value
        case AffineBinaryOpExpr():
            low, high = _range(expression.lhs, shape)
            right = _range(expression.rhs, shape)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return low + right[0], high + right[1]
                case AffineBinaryOpKind.Mul:
                    corners = [a * b for a in (low, high) for b in right]
                    return min(corners), max(corners)
                case AffineBinaryOpKind.FloorDiv:
                    return low // right[0], high // right[0]
                case AffineBinaryOpKind.CeilDiv:
                    return -(-low // right[0]), -(-high // right[0])
                case AffineBinaryOpKind.Mod:
                    if low // right[0] == high // right[0]:
                        return low % right[0], high % right[0]
                    return 0, right[0] - 1
        case _:
            raise AssertionError(f"{expression} in a map without symbols")
