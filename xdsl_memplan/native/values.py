"""Types of what a compiled function takes and gives, and how numpy holds them."""

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, ContainerType, IndexType, IntegerType, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

Array = NDArray[Any]

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}

_SCALARS: dict[str, Any] = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "index": ctypes.c_int64,
    "i1": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
}
"""Scalars that C passes as MLIR's C interface does."""


@dataclass(frozen=True)
class ArrayType:
    """Shape and element type (as MLIR prints it) of one argument or result."""

    shape: tuple[int, ...]
    element: str
    scalar: bool = False
    """A number that is passed as itself and not in memory."""

    @property
    def storage(self) -> np.dtype[Any]:
        """How numpy holds an element: bf16 and the formats of 8 bits as their bits."""
        if self.element in FLOATS:
            return np.dtype(FLOATS[self.element])
        if self.element == "bf16":
            return np.dtype(np.uint16)
        if self.element.startswith("f8"):
            return np.dtype(np.uint8)
        if self.element == "index":
            return np.dtype(np.int64)
        return np.dtype(f"int{max(8, 1 << (self.bits - 1).bit_length())}")

    @property
    def bits(self) -> int:
        """The width of an integer."""
        return 64 if self.element == "index" else int(self.element.lstrip("sui"))

    @property
    def is_integer(self) -> bool:
        """Tell integers from floats."""
        return not self.element.startswith(("f", "bf"))

    @property
    def c_type(self) -> Any:
        """How C passes a scalar."""
        return _SCALARS[self.element]

    def settled(self, array: Array) -> Array:
        """The array with defined bits only: memory holds any bits above those of an i17."""
        spare = array.dtype.itemsize * 8 - self.bits if self.is_integer else 0
        if not spare:
            return array
        if self.element == "i1":
            return array & 1
        return (array << spare) >> spare

    def numbers(self, array: Array) -> Array:
        """What the elements stand for, as float64."""
        if self.element == "bf16":
            return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if self.element.startswith("f8"):
            return _of_8_bits(self.element)[array]
        return array.astype(np.float64)


@cache
def _of_8_bits(element: str) -> Array:
    """The number that each of the 256 patterns of a format stands for, as float64.

    The formats are those of MLIR, named after the bits of exponent and mantissa: infinities as
    IEEE 754 has them, none with FN, one NaN and no -0 with FNUZ, a bias of 11 with B11.
    """
    bits = np.arange(256)
    if element == "f8E8M0FNU":  # Powers of two.
        return np.where(bits < 255, np.exp2(bits - 127.0), np.nan)
    exponent_bits, mantissa_bits = int(element[3]), int(element[5])
    top, half = (1 << exponent_bits) - 1, 1 << mantissa_bits
    bias = 11 if "B11" in element else (top + 1) // 2 - (not element.endswith("FNUZ"))
    exponent, mantissa = bits >> mantissa_bits & top, bits & (half - 1)
    fraction = mantissa / half + (exponent > 0)
    numbers = np.where(bits >> 7, -1.0, 1.0) * fraction * np.exp2(np.maximum(exponent, 1) - bias)
    if element.endswith("FNUZ"):
        return np.where(bits == 128, np.nan, numbers)
    if element.endswith("FN"):
        return np.where((exponent == top) & (mantissa == half - 1), np.nan, numbers)
    return np.where(
        exponent == top, np.where(mantissa == 0, np.copysign(np.inf, numbers), np.nan), numbers
    )


def array_type(attribute: Attribute) -> ArrayType:
    """Return the type of a static tensor or memref, or of a number.

    Raises ValueError for anything else.
    """
    if not isinstance(attribute, ShapedType) or not isinstance(attribute, ContainerType):
        if f"{attribute}" in _SCALARS:
            return ArrayType((), f"{attribute}", scalar=True)
        raise ValueError(
            f"{attribute} cannot be passed; tensors, memrefs and {', '.join(_SCALARS)} can"
        )
    element = cast(ContainerType[Attribute], attribute).get_element_type()
    if any(size < 0 for size in attribute.get_shape()):
        raise ValueError(f"{attribute} has a dynamic size")
    name = f"{element}"
    if not _has_storage(element, name):
        raise ValueError(f"elements of type {name} cannot be passed")
    return ArrayType(attribute.get_shape(), name)


def signature(function: FuncOp) -> tuple[list[ArrayType], list[ArrayType]]:
    """Return the types of the arguments and of the results.

    Raises ValueError where one cannot be passed.
    """
    types = function.function_type
    return [array_type(t) for t in types.inputs], [array_type(t) for t in types.outputs]


def _has_storage(element: Attribute, name: str) -> bool:
    if isinstance(element, IntegerType):
        return 0 < ArrayType((), name).bits <= 64
    if isinstance(element, IndexType):
        return True
    return isinstance(element, AnyFloat) and (name in (*FLOATS, "bf16") or name.startswith("f8"))
