"""Tensors in the shape of a tile: types, slices, and values that need no operand."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TypeAlias, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.dialects.copies import copied_region
from xdsl_memplan.dialects.fills import make_fill
from xdsl_memplan.dialects.one_element import one_element
from xdsl_memplan.model.split_graph import Box

Tensor: TypeAlias = TensorType[Attribute]
NumberTensor: TypeAlias = TensorType[IntegerType | IndexType | AnyFloat]


def static_shape(value: SSAValue) -> tuple[int, ...] | None:
    """Return the shape of a tensor; None if it is no tensor, or not known, or has no element."""
    if value.type.__class__ is not TensorType:
        return None
    shape = tuple(cast(Tensor, value.type).get_shape())
    return shape if all(extent > 0 for extent in shape) else None


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a value that is known to be a tensor."""
    return tuple(cast(Tensor, value.type).get_shape())


def tile_type(type_: Attribute, shape: Sequence[int]) -> Tensor:
    """Return a tensor type with another shape; an encoding is kept."""
    return _tile_type(cast(Tensor, type_), tuple(shape))


@lru_cache(maxsize=4096)
def _tile_type(old: Tensor, shape: tuple[int, ...]) -> Tensor:
    return TensorType(old.get_element_type(), shape, old.encoding)


def box_shape(box: Box) -> tuple[int, ...]:
    """Return the extents of a box."""
    return tuple(stop - start for start, stop in box)


def is_remade(value: SSAValue) -> bool:
    """Tell whether `remake` can make the tensor in any shape: one element everywhere, or none."""
    match value.owner:
        case linalg_ops.FillOp() as fill:
            (scalar,) = fill.inputs
            return scalar.type == cast(Tensor, value.type).get_element_type()
        case tensor.EmptyOp() | tensor.SplatOp():
            return True
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            return one_element(dense) is not None
        case _:
            return False


def remake(value: SSAValue, shape: Sequence[int], builder: Builder) -> SSAValue:
    """Make a tensor for which `is_remade` holds in another shape; elements are the same."""
    type_ = tile_type(value.type, shape)
    match value.owner:
        case linalg_ops.FillOp() as fill:
            return filled(fill.inputs[0], type_, builder)
        case tensor.SplatOp() as splat:
            return filled(splat.input, type_, builder)
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            element = one_element(dense)
            assert element is not None
            data = BytesAttr(element * prod(shape))
            constant = DenseIntOrFPElementsAttr(cast(NumberTensor, type_), data)
            return builder.insert(arith.ConstantOp(constant, type_)).result
        case _:
            return empty(type_, builder)


def empty(type_: Tensor, builder: Builder) -> SSAValue:
    """Make a tensor whose elements are to be written."""
    return builder.insert(tensor.EmptyOp.create(result_types=[type_])).results[0]


def filled(scalar: SSAValue, type_: Tensor, builder: Builder) -> SSAValue:
    """Make a tensor whose elements are all the same."""
    destination = empty(type_, builder)
    return builder.insert(make_fill(scalar, destination, (type_,))).results[0]


def sliced(
    value: SSAValue,
    offsets: Sequence[int | SSAValue],
    sizes: Sequence[int],
    strides: Sequence[int],
    shape: Sequence[int],
    builder: Builder,
) -> SSAValue:
    """Take a slice in the given shape: ``sizes`` with or without ones. All of it is the value."""
    if tuple(shape) == shape_of(value) and all(stride == 1 for stride in strides):
        return value
    type_ = tile_type(value.type, shape)
    return builder.insert(
        tensor.ExtractSliceOp(value, [*offsets], [*sizes], [*strides], type_)
    ).result


def index_constant(number: int) -> arith.ConstantOp:
    """Return a number that counts iterations or elements."""
    return arith.ConstantOp(IntegerAttr(number, IndexType()))


def index_value(number: int, builder: Builder) -> SSAValue:
    """Return such a number, written down."""
    return builder.insert(index_constant(number)).result


def operand_of(operand: SSAValue | None) -> SSAValue:
    """Return an operand that is always read."""
    assert operand is not None
    return operand


def rebuilt(op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute]) -> Operation:
    """Build an operation with other operands and result types, and all else as it is."""
    return type(op).create(
        operands=operands,
        result_types=types,
        properties=op.properties,
        attributes=op.attributes,
        regions=[copied_region(region) for region in op.regions],
    )
