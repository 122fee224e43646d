"""Tensors and memrefs as numpy arrays."""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    ShapedType,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

Array: TypeAlias = npt.NDArray[Any]

UNWRITTEN = 0xFF
"""Byte of memory that nobody has written: NaN as a float, -1 as an integer."""


def is_array(value: object) -> TypeGuard[Array]:
    """Tell arrays from scalars."""
    return isinstance(value, np.ndarray)


def element_dtype(element: Attribute) -> np.dtype[Any]:
    """The numpy type of an element.

    Raises:
        InterpretationError: for a type that numpy lacks (bf16, 4-bit integers, ...).
    """
    match element:
        case Float64Type():
            return np.dtype(np.float64)
        case Float32Type():
            return np.dtype(np.float32)
        case Float16Type():
            return np.dtype(np.float16)
        case IndexType():
            return np.dtype(np.int64)
        case IntegerType() if element.bitwidth == 1:
            return np.dtype(np.bool_)
        case IntegerType() if element.bitwidth in (8, 16, 32, 64):
            return np.dtype(f"int{element.bitwidth}")
        case _:
            raise InterpretationError(f"no arrays of {element} here")


def bit_width(type: Attribute) -> int:
    """The bits of an integer or an index."""
    return type.bitwidth if isinstance(type, IntegerType) else 64


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """The numpy type of the elements of a tensor or memref."""
    if not isa(type, MemRefType | TensorType):
        raise InterpretationError(f"{type} is neither tensor nor memref")
    return element_dtype(type.get_element_type())


def shape_of(type: Attribute, dynamic: Sequence[int] = ()) -> tuple[int, ...]:
    """The shape of a type; `dynamic` has the sizes it does not say, in order."""
    assert isinstance(type, ShapedType)
    sizes = iter(dynamic)
    return tuple(next(sizes) if d == DYNAMIC_INDEX else d for d in type.get_shape())


def unwritten(type: Attribute, dynamic: Sequence[int] = ()) -> Array:
    """A new array that nobody has written."""
    shape, dtype = shape_of(type, dynamic), dtype_of(type)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return view_bytes(np.full(size, UNWRITTEN, np.uint8), shape, dtype)


def view_bytes(storage: Array, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """The first bytes of `storage` (of one dimension) as a dense array that shares them."""
    needed = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if needed > storage.nbytes:
        raise InterpretationError(f"a view of {needed} bytes in {storage.nbytes}")
    return storage.view(np.uint8)[:needed].view(dtype).reshape(shape)


def constant(attribute: DenseIntOrFPElementsAttr) -> Array:
    """The value of `dense<...>`."""
    shaped = cast(TensorType[Attribute], attribute.type)
    values = np.array(list(attribute.get_values()), dtype_of(shaped))
    if values.size == 1:
        return np.full(shaped.get_shape(), values[0])
    return values.reshape(shaped.get_shape())
