"""Bytes that a memref or tensor type needs in memory."""

from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute

from xdsl_memplan.dialects.layout_span import last_element

INDEX_BYTES = 8
"""An `index` is stored in 64 bits, as MLIR's lowering to LLVM does by default."""

_NUMBER_ALIGNMENT = 16
"""The most that LLVM aligns a number to on 64-bit machines, in bytes; vectors have no such end."""


def element_size_bytes(element: Attribute) -> int | None:
    """Bytes between two neighbouring elements; None if the type does not say.

    Types narrower than a byte take a whole one, as in MLIR's lowering of memrefs. Numbers of odd
    widths lie as far apart as LLVM puts them, at multiples of their alignment: an i48 takes 8
    bytes, an f80 16, a vector of three f32 16. Types of other dialects take what they say.
    """
    if _has_fixed_bitwidth(type(element)):
        size = cast(FixedBitwidthType, element).size
        return _apart(size, _NUMBER_ALIGNMENT) if _is_number(type(element)) else size
    match element:
        case IndexType():
            return INDEX_BYTES
        case ComplexType():
            part = element_size_bytes(element.element_type)
            return None if part is None else 2 * part
        case VectorType():
            part = element_size_bytes(element.element_type)
            if part is None or any(element.get_scalable_dims()):
                return None
            shape = element.get_shape()
            row = part * _product(shape[-1:])
            return _product(shape[:-1]) * _apart(row, row << 1)
        case _:
            return None


def _apart(size: int, most: int) -> int:
    """Bytes from one to the next of what has `size` and is aligned to a power of two up to `most`.

    That is the least one that holds it.
    """
    alignment = min(1 << max(0, size - 1).bit_length(), most)
    return -(-size // alignment) * alignment


@cache  # Asked for every tensor, and isinstance is slow where a class has an ABC.
def _has_fixed_bitwidth(element_class: type[Attribute]) -> bool:
    return issubclass(element_class, FixedBitwidthType)


@cache
def _is_number(element_class: type[Attribute]) -> bool:
    return issubclass(element_class, IntegerType | AnyFloat)


@cache
def _has_shape(type_class: type[Attribute]) -> bool:
    return issubclass(type_class, MemRefType | TensorType)


def size_bytes(type: Attribute) -> int | None:
    """Bytes from the start of the storage to one past the last element that `type` can reach.

    A dense memref or tensor needs the product of its shape; one with a layout the span of its
    strides or its affine map, its offset included. A shape with a zero needs no byte.

    Returns:
        None if the size is not known from the type: a dynamic size, stride or offset, a layout
        that reaches before its start, an element type without a size, or a type without storage.
    """
    if not _has_shape(type.__class__):
        return None
    type = cast("MemRefType[Attribute] | TensorType[Attribute]", type)
    shape = type.get_shape()
    element = element_size_bytes(type.element_type)
    if element is None or DYNAMIC_INDEX in shape:
        return None
    if 0 in shape:
        return 0
    if isinstance(type, TensorType) or isinstance(type.layout, NoneAttr):
        return _product(shape) * element
    last = last_element(type.layout, shape)
    return None if last is None else (last + 1) * element


def _product(shape: Sequence[int]) -> int:
    result = 1
    for extent in shape:
        result *= extent
    return result
