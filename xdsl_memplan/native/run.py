"""Call a compiled function on random inputs and read what it returns."""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, ContainerType, IndexType, IntegerType, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

Array = NDArray[Any]

_FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class ArrayType:
    """Shape and element type (as MLIR prints it) of one argument or result."""

    shape: tuple[int, ...]
    element: str

    @property
    def storage(self) -> np.dtype[Any]:
        """How numpy holds an element; bf16 as its 16 bits."""
        if self.element in _FLOATS:
            return np.dtype(_FLOATS[self.element])
        if self.element == "bf16":
            return np.dtype(np.uint16)
        if self.element == "index":
            return np.dtype(np.int64)
        width = max(8, int(self.element.lstrip("sui")))
        return np.dtype(f"int{width}")


def array_type(attribute: Attribute) -> ArrayType:
    """Return the shape and element type of a static tensor or memref.

    Raises ValueError for anything else.
    """
    if not isinstance(attribute, ShapedType) or not isinstance(attribute, ContainerType):
        raise ValueError(f"only tensors and memrefs can be passed, not {attribute}")
    element = cast(ContainerType[Attribute], attribute).get_element_type()
    if any(size < 0 for size in attribute.get_shape()):
        raise ValueError(f"{attribute} has a dynamic size")
    if not isinstance(element, IntegerType | IndexType | AnyFloat):
        raise ValueError(f"elements of type {element} cannot be passed")
    return ArrayType(attribute.get_shape(), f"{element}")


def signature(function: FuncOp) -> tuple[list[ArrayType], list[ArrayType]]:
    """Return the types of the arguments and of the results.

    Raises ValueError where one is no static tensor or memref.
    """
    types = function.function_type
    return [array_type(t) for t in types.inputs], [array_type(t) for t in types.outputs]


INTEGERS_BELOW = 16
"""Bound of random integers, which may be indices into tables."""


def random_inputs(
    types: Sequence[ArrayType], seed: int, integers_below: int = INTEGERS_BELOW
) -> list[Array]:
    """Draw inputs that keep the numbers of a network in range.

    Integers are from 0 up to below the bound. Float vectors, which are biases, scales and
    variances, are positive; what has more dimensions, but for the first argument, is divided by the
    square root of its fan-in.
    """
    generator = np.random.default_rng(seed)
    inputs: list[Array] = []
    for kind in types:
        if kind.element != "bf16" and kind.element not in _FLOATS:
            bound = 2 if kind.element == "i1" else integers_below
            inputs.append(generator.integers(0, bound, kind.shape).astype(kind.storage))
            continue
        values = generator.standard_normal(kind.shape).astype(np.float32)
        if len(kind.shape) == 1:
            values = np.abs(values) + np.float32(0.5)
        elif inputs and kind.shape:
            values = values * np.float32(1.2 / math.sqrt(max(1, math.prod(kind.shape[1:]))))
        if kind.element == "bf16":
            inputs.append((np.asarray(values).view(np.uint32) >> 16).astype(np.uint16))
        else:
            inputs.append(np.asarray(values, dtype=kind.storage))
    return [np.ascontiguousarray(array) for array in inputs]


def call(
    library: Path, name: str, inputs: Sequence[Array], results: Sequence[ArrayType]
) -> list[Array]:
    """Call function `name` of a compiled module and return copies of its results.

    Raises ValueError if the function is not there.
    """
    loaded = ctypes.CDLL(str(library))
    try:
        function = loaded[f"_mlir_ciface_{name}"]
    except AttributeError as error:
        raise ValueError(f"the module has no function @{name}") from error
    descriptors = [_descriptor_of(array) for array in inputs]
    arguments: list[Any] = [ctypes.byref(descriptor) for descriptor in descriptors]
    kinds = [_descriptor(len(result.shape)) for result in results]
    if not results:
        function(*arguments)
        return []
    if len(results) == 1:
        returned = kinds[0]()
        function(ctypes.byref(returned), *arguments)
        return [_copy_out(returned, results[0])]
    fields = [(f"result{i}", kind) for i, kind in enumerate(kinds)]
    several = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    function(ctypes.byref(several), *arguments)
    return [_copy_out(getattr(several, f"result{i}"), kind) for i, kind in enumerate(results)]


def _descriptor(rank: int) -> type[ctypes.Structure]:
    """Make the C struct that MLIR passes for a memref of this rank."""
    fields: list[tuple[str, Any]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def _descriptor_of(array: Array) -> Any:
    descriptor: Any = _descriptor(array.ndim)()
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    descriptor.offset = 0
    for axis in range(array.ndim):
        descriptor.sizes[axis] = array.shape[axis]
        descriptor.strides[axis] = array.strides[axis] // array.itemsize
    return descriptor


def _copy_out(descriptor: Any, kind: ArrayType) -> Array:
    rank, item = len(kind.shape), kind.storage.itemsize
    if math.prod(kind.shape) == 0:
        return np.empty(kind.shape, kind.storage)
    strides = [descriptor.strides[axis] for axis in range(rank)]
    span = 1 + sum((size - 1) * stride for size, stride in zip(kind.shape, strides, strict=True))
    start = descriptor.aligned + descriptor.offset * item
    flat: Array = np.frombuffer(ctypes.string_at(start, span * item), kind.storage)
    positions = np.zeros(kind.shape, np.int64)
    for axis, (size, stride) in enumerate(zip(kind.shape, strides, strict=True)):
        steps = np.arange(size, dtype=np.int64) * stride
        positions += steps.reshape([-1 if axis == other else 1 for other in range(rank)])
    return flat[positions]
