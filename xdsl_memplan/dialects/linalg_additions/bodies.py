"""The hidden regions of named operations: what is computed for one element.

Every body takes one scalar per operand (inputs, then outputs) and yields one per output. As in
MLIR's definition of the named operations, inputs are cast to the element type of the output
first.
"""

import typing
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, ComplexType, ContainerType, FloatAttr, IntegerType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.hints import isa

Scalars = Sequence[SSAValue]
Body = Callable[[Scalars], SSAValue]
"""From the scalars of all operands to the new scalar of the (only) output."""


def region_of(body: Body, operands: Sequence[SSAValue]) -> Region:
    """The region of an operation with these operands (inputs, then one output)."""

    @Builder.implicit_region([_element_type(operand.type) for operand in operands])
    def region(args: tuple[BlockArgument, ...]) -> None:
        YieldOp(body(args))

    return region


def _element_type(type: Attribute) -> Attribute:
    if isinstance(type, ContainerType) and not isinstance(type, ComplexType):
        return typing.cast(Attribute, type.get_element_type())
    return type


class _Casts(NamedTuple):
    """The casts from and to integers of one signedness."""

    extend: Callable[..., Operation]
    to_float: Callable[..., Operation]
    to_int: Callable[..., Operation]

    def between(self, source: Attribute, to: Attribute) -> Callable[..., Operation]:
        """The operation from one type to the other, which is different."""
        if isinstance(source, AnyFloat) and isinstance(to, AnyFloat):
            return arith.ExtFOp if source.bitwidth < to.bitwidth else arith.TruncFOp
        if isa(source, IntegerType) and isa(to, IntegerType):
            return self.extend if source.bitwidth < to.bitwidth else arith.TruncIOp
        if isa(source, IntegerType) and isinstance(to, AnyFloat):
            return self.to_float
        if isinstance(source, AnyFloat) and isa(to, IntegerType):
            return self.to_int
        raise ValueError(f"no cast from {source} to {to}")

    def __call__(self, value: SSAValue, to: Attribute) -> SSAValue:
        """Cast a scalar, if it has another type."""
        if value.type == to:
            return value
        return self.between(value.type, to)(value, to).results[0]


cast = _Casts(arith.ExtSIOp, arith.SIToFPOp, arith.FPToSIOp)
cast_unsigned = _Casts(arith.ExtUIOp, arith.UIToFPOp, arith.FPToUIOp)


def _pick(
    on_float: Callable[..., Operation], on_int: Callable[..., Operation]
) -> Callable[..., SSAValue]:
    """An operation that has a float and an integer form, chosen by the first operand."""

    def apply(first: SSAValue, *rest: SSAValue) -> SSAValue:
        op = on_float if isinstance(first.type, AnyFloat) else on_int
        return op(first, *rest).results[0]

    return apply


add = _pick(arith.AddfOp, arith.AddiOp)
sub = _pick(arith.SubfOp, arith.SubiOp)
mul = _pick(arith.MulfOp, arith.MuliOp)
div = _pick(arith.DivfOp, arith.DivSIOp)
div_unsigned = _pick(arith.DivfOp, arith.DivUIOp)
maximum = _pick(arith.MaximumfOp, arith.MaxSIOp)
maximum_unsigned = _pick(arith.MaximumfOp, arith.MaxUIOp)
minimum = _pick(arith.MinimumfOp, arith.MinSIOp)
minimum_unsigned = _pick(arith.MinimumfOp, arith.MinUIOp)


def multiply_add(args: Scalars) -> SSAValue:
    """`out + a * b`: matrix products and convolutions."""
    a, b, out = args
    return add(out, mul(cast(a, out.type), cast(b, out.type)))


def multiply_add_quantized(args: Scalars) -> SSAValue:
    """`out + (a - zero point of a) * (b - zero point of b)`."""
    a, b, a_zero, b_zero, out = args
    left = sub(cast(a, out.type), cast(a_zero, out.type))
    right = sub(cast(b, out.type), cast(b_zero, out.type))
    return add(out, mul(left, right))


def pooling(combine: Callable[..., SSAValue], *, unsigned: bool = False) -> Body:
    """`out = combine(out, element)`; the window has a shape only."""
    convert = cast_unsigned if unsigned else cast

    def body(args: Scalars) -> SSAValue:
        element, _window, out = args
        return combine(out, convert(element, out.type))

    return body


def unary(op: Callable[[SSAValue], Operation | SSAValue]) -> Body:
    """`out = op(in)`."""

    def body(args: Scalars) -> SSAValue:
        return SSAValue.get(op(args[0]))

    return body


def binary(op: Callable[[SSAValue, SSAValue], Operation | SSAValue]) -> Body:
    """`out = op(a, b)`."""

    def body(args: Scalars) -> SSAValue:
        return SSAValue.get(op(args[0], args[1]))

    return body


def copy(args: Scalars) -> SSAValue:
    """`out = in`."""
    return cast(args[0], args[1].type)


def reciprocal(value: SSAValue) -> SSAValue:
    """`1 / x`."""
    if not isinstance(value.type, AnyFloat):
        raise ValueError(f"no reciprocal of {value.type}")
    return div(arith.ConstantOp(FloatAttr(1.0, value.type)).result, value)
