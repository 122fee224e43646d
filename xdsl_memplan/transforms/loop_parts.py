"""Loops of a `linalg.generic` that become several each, with the tensors that they go over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias, cast

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, i64
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import (
    Tensor,
    is_remade,
    remake,
    shape_of,
    static_shape,
    tile_type,
)
from xdsl_memplan.transforms.unit_dimensions import collapsed, expanded, reassociation

Terms: TypeAlias = dict[int, int]
"""Loops, and what each is multiplied by."""
Sum: TypeAlias = tuple[Terms, int]
"""An index: loops times numbers, and a constant."""


@dataclass
class Loops:
    """The loops that each loop of an operation becomes, outermost first, and their extents."""

    parts: list[list[int]]
    extents: list[int]

    @classmethod
    def of(cls, extents: Sequence[int]) -> "Loops":
        """Loops that are not split yet."""
        return cls([[loop] for loop in range(len(extents))], list(extents))

    def split(self, part: int, inner: int) -> None:
        """Make two loops of a part, the inner one of ``inner`` iterations."""
        new = len(self.extents)
        self.extents[part] //= inner
        self.extents.append(inner)
        for parts in self.parts:
            if part in parts:
                parts.insert(parts.index(part) + 1, new)

    def factors(self, loop: int) -> Iterator[tuple[int, int]]:
        """The parts of a loop with what each is multiplied by."""
        factor = 1
        for part in reversed(self.parts[loop]):
            yield part, factor
            factor *= self.extents[part]

    def numbers(self) -> list[int]:
        """The parts in the order of the loops."""
        return [part for parts in self.parts for part in parts]


class _NoSumError(Exception):
    """An index is no sum of parts of loops."""


class _SplitWanted(Exception):
    """An index becomes a sum once this part of a loop is split."""

    def __init__(self, part: int, inner: int) -> None:
        super().__init__()
        self.part, self.inner = part, inner


def extents_of(op: GenericOp) -> list[int] | None:
    """Return the extents of the loops; None if one is not known."""
    extents: dict[int, int] = {}
    for operand, map_ in zip(op.operands, op.indexing_maps, strict=True):
        if not is_tensor(operand.type):
            continue
        shape = static_shape(operand)
        if shape is None:
            return None
        for expression, extent in zip(map_.data.results, shape, strict=True):
            if isinstance(expression, AffineDimExpr):
                extents[expression.position] = extent
    count = len(op.iterator_types)
    return [extents[loop] for loop in range(count)] if len(extents) == count else None


def sums_over(op: GenericOp, loops: Loops) -> list[list[Sum]] | None:
    """Return each index of each operand as a sum of parts of loops, which are split until it is.

    None if that does not help.
    """
    while True:
        try:
            return [
                [_sum(expression, loops) for expression in map_.data.results]
                for map_ in op.indexing_maps
            ]
        except _SplitWanted as wanted:
            loops.split(wanted.part, wanted.inner)
        except _NoSumError:
            return None


def _sum(expression: AffineExpr, loops: Loops) -> Sum:
    """An index as a sum of parts of loops and a constant.

    Raises _SplitWanted if a part of a loop must be split for that, _NoSumError if that is no help.
    """
    match expression:
        case AffineDimExpr():
            return dict(loops.factors(expression.position)), 0
        case AffineConstantExpr():
            return {}, expression.value
        case AffineBinaryOpExpr():
            terms, constant = _sum(expression.lhs, loops)
            others, other = _sum(expression.rhs, loops)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    for part, factor in others.items():
                        terms[part] = terms.get(part, 0) + factor
                    return terms, constant + other
                case AffineBinaryOpKind.Mul if not others:
                    return {part: factor * other for part, factor in terms.items()}, (
                        constant * other
                    )
                case AffineBinaryOpKind.FloorDiv | AffineBinaryOpKind.Mod if (
                    not others and other > 0
                ):
                    return _divided(terms, constant, other, expression.kind, loops)
                case _:
                    pass
        case _:
            pass
    raise _NoSumError


def _divided(
    terms: Terms, constant: int, divisor: int, kind: AffineBinaryOpKind, loops: Loops
) -> tuple[Terms, int]:
    """The quotient or the rest of a sum, where all that is no multiple is less than the divisor."""
    rest = {part: factor for part, factor in terms.items() if factor % divisor}
    over = constant % divisor
    low = over + sum(min(0, f * (loops.extents[p] - 1)) for p, f in rest.items())
    high = over + sum(max(0, f * (loops.extents[p] - 1)) for p, f in rest.items())
    if low < 0 or high >= divisor:
        for part, factor in rest.items():
            inner = divisor // gcd(factor, divisor)
            if loops.extents[part] > inner and loops.extents[part] % inner == 0:
                raise _SplitWanted(part, inner)
        raise _NoSumError
    if kind is AffineBinaryOpKind.Mod:
        return rest, over
    whole = {part: factor // divisor for part, factor in terms.items() if part not in rest}
    return whole, constant // divisor


def _output_maps(op: GenericOp) -> Iterator[AffineMap]:
    for map_ in op.indexing_maps.data[input_count(op) :]:
        yield map_.data


def _is_written_in_parts(map_: AffineMap, loops: Loops) -> bool:
    """Tell whether the dimensions of a result can be split as the loops are."""
    return all(
        isinstance(expression, AffineDimExpr)
        or all(len(loops.parts[loop]) == 1 for loop in expression.used_dims())
        for expression in map_.results
    )


def split_loops(op: GenericOp, loops: Loops, sums: Sequence[Sequence[Sum]]) -> bool:
    """Let ``op`` go over the parts of its loops; ``sums`` are its indices, from `sums_over`.

    Operands are read through an `expand_shape`, a view, and results shown in their old shape by a
    `collapse_shape`. The same scalars are computed in the same order. Returns whether that was
    possible: else a dimension of a result cannot be split as its loop is, and nothing is changed.
    """
    if not all(_is_written_in_parts(map_, loops) for map_ in _output_maps(op)):
        return False
    number = {part: position for position, part in enumerate(loops.numbers())}
    builder = Builder(InsertPoint.before(op))
    operands: list[SSAValue] = []
    maps: list[AffineMapAttr] = []
    groups: list[list[list[int]]] = []
    for operand, map_, of_map in zip(op.operands, op.indexing_maps, sums, strict=True):
        split = [
            loops.parts[expression.position] if isinstance(expression, AffineDimExpr) else []
            for expression in map_.data.results
        ]
        results: list[AffineExpr] = []
        dimensions: list[list[int]] = []
        for parts, (terms, constant) in zip(split, of_map, strict=True):
            first = len(results)
            results += (
                [AffineExpr.dimension(number[part]) for part in parts]
                if len(parts) > 1
                else [_expression(terms, constant, number)]
            )
            dimensions.append([*range(first, len(results))])
        shape = [
            extent
            for parts, old in zip(split, _shape(operand), strict=True)
            for extent in ([loops.extents[part] for part in parts] if len(parts) > 1 else [old])
        ]
        operands.append(_shown_in_parts(operand, dimensions, shape, builder))
        maps.append(AffineMapAttr(AffineMap(len(number), 0, tuple(results))))
        groups.append(dimensions)
    kinds = [
        kind for parts, kind in zip(loops.parts, op.iterator_types.data, strict=True) for _ in parts
    ]
    op.operands = operands
    op.properties["indexing_maps"] = ArrayAttr(maps)
    op.properties["iterator_types"] = ArrayAttr(kinds)
    for index in [inner for inner in operations_in(op) if type(inner) is IndexOp]:
        _renumber(index, loops, number)
    inputs = input_count(op)
    after = Builder(InsertPoint.after(op))
    for old, output, dimensions in zip(
        op.results, op.operands[inputs:], groups[inputs:], strict=True
    ):
        if old.type != output.type:
            _show_merged(old, output.type, dimensions, after)
    return True


def _shape(value: SSAValue) -> tuple[int, ...]:
    return shape_of(value) if is_tensor(value.type) else ()


def _expression(terms: Terms, constant: int, number: dict[int, int]) -> AffineExpr:
    found: AffineExpr | None = None
    for part, factor in sorted(terms.items(), key=lambda term: number[term[0]]):
        if not factor:
            continue
        term: AffineExpr = AffineExpr.dimension(number[part])
        term = term if factor == 1 else term * factor
        found = term if found is None else found + term
    if found is None:
        return AffineExpr.constant(constant)
    return found + constant if constant else found


def _shown_in_parts(
    value: SSAValue, dimensions: Sequence[Sequence[int]], shape: Sequence[int], builder: Builder
) -> SSAValue:
    """Show a tensor with some dimensions split; one that is the same everywhere is made anew."""
    if not is_tensor(value.type) or len(shape) == len(dimensions):
        return value
    if is_remade(value):
        return remake(value, shape, builder)
    type_ = tile_type(value.type, shape)
    return builder.insert(expanded(value, reassociation(dimensions), type_)).result


def _show_merged(
    old: SSAValue, type_: Attribute, dimensions: Sequence[Sequence[int]], builder: Builder
) -> None:
    """Give a result another type, and let its readers read it in the shape that it had."""
    view = builder.insert(collapsed(old, reassociation(dimensions), cast(Tensor, old.type)))
    view.result.name_hint = old.name_hint
    old.replace_uses_with_if(view.result, lambda use: use.operation is not view)
    Rewriter.replace_value_with_new_type(old, type_).name_hint = None


def _renumber(index: IndexOp, loops: Loops, number: dict[int, int]) -> None:
    """Compute the position in a loop from those in its parts."""
    factors = list(loops.factors(index.dim.value.data))[::-1]
    if len(factors) == 1:
        index.dim = IntegerAttr(number[factors[0][0]], i64)
        return
    added: list[Operation] = []
    total: SSAValue | None = None
    for part, factor in factors:
        position = IndexOp(number[part])
        added.append(position)
        term: SSAValue = position.result
        if factor != 1:
            constant = arith.ConstantOp(IntegerAttr(factor, IndexType()))
            product = arith.MuliOp(term, constant.result)
            added += [constant, product]
            term = product.result
        if total is not None:
            added.append(arith.AddiOp(total, term))
            term = added[-1].results[0]
        total = term
    assert total is not None
    Rewriter.replace_op(index, added, [total])
