"""Call a compiled function and read what it returns."""

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from xdsl_memplan.native.values import Array, ArrayType


def call(
    library: Path,
    name: str,
    inputs: Sequence[Array],
    results: Sequence[ArrayType],
    arguments: Sequence[ArrayType] = (),
) -> list[Array]:
    """Call function `name` of a compiled module and return copies of its results.

    `arguments` are the types of the inputs; without them, all are passed in memory.
    Raises ValueError if the function is not there or the module cannot be loaded.
    """
    try:
        loaded = ctypes.CDLL(str(library))
    except OSError as error:
        raise ValueError(f"the module cannot be loaded: {error}") from error
    try:
        function = loaded[f"_mlir_ciface_{name}"]
    except AttributeError as error:
        raise ValueError(f"the module has no function @{name}") from error
    is_scalar = [kind.scalar for kind in arguments] or [False] * len(inputs)
    passed: list[Any] = []
    for number, array in enumerate(inputs):
        if is_scalar[number]:
            passed.append(arguments[number].c_type(array.item()))
        else:
            passed.append(ctypes.byref(_descriptor_of(array)))
    function.restype = None
    if not results:
        function(*passed)
        return []
    kinds = [kind.c_type if kind.scalar else _descriptor(len(kind.shape)) for kind in results]
    if len(results) == 1 and results[0].scalar:
        function.restype = kinds[0]
        return [np.asarray(function(*passed), results[0].storage)]
    if len(results) == 1:
        returned = kinds[0]()
        function(ctypes.byref(returned), *passed)
        return [_copy_out(returned, results[0])]
    fields = [(f"result{i}", kind) for i, kind in enumerate(kinds)]
    several = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    function(ctypes.byref(several), *passed)
    found = [getattr(several, field) for field, _ in fields]
    return [
        np.asarray(value, kind.storage) if kind.scalar else _copy_out(value, kind)
        for value, kind in zip(found, results, strict=True)
    ]


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
    return kind.settled(flat[positions])
