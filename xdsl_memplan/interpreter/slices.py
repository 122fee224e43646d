"""Offsets, sizes and strides that are partly in the operation and partly operands."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, ShapedType

from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.interpreter.arrays import Array

SliceOp = (
    memref.SubviewOp
    | memref.ReinterpretCastOp
    | tensor.ExtractSliceOp
    | tensor.InsertSliceOp
    | LoadOp
    | StoreOp
    | CarryOp
)


class Slice(NamedTuple):
    """Where a slice lies, in elements."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def of(self, array: Array) -> Array:
        """The slice of an array, sharing its bytes."""
        index = tuple(
            slice(offset, offset + (size - 1) * stride + 1 if size else offset, stride)
            for offset, size, stride in zip(*self, strict=True)
        )
        part = array[(*index, ...)]  # With the dots a view, even of an array of rank 0.
        if part.shape != self.sizes:
            raise IndexError(f"slice {self} is outside of an array of shape {array.shape}")
        return part


def slice_of(op: SliceOp, operands: Sequence[Any]) -> Slice:
    """The slice of an operation; `operands` are the values of all its operands."""
    dynamic: Iterator[Any] = iter(
        operands[2 if isinstance(op, tensor.InsertSliceOp | StoreOp) else 1 :]
    )
    return Slice(
        merged(op.static_offsets, dynamic),
        merged(op.static_sizes, dynamic),
        merged(op.static_strides, dynamic),
    )


def merged(static: DenseArrayBase[I64], dynamic: Iterator[Any]) -> tuple[int, ...]:
    """Numbers of the operation, those that it leaves open taken from operands."""
    return tuple(
        int(next(dynamic)) if value == DYNAMIC_INDEX else int(value)
        for value in static.get_values()
    )


def reshaped(array: Array, type: ShapedType) -> Array:
    """An array in the shape of a type (collapsed, expanded, of lower rank) that shares the bytes.

    Raises ValueError where that is impossible.
    """
    shape = tuple(type.get_shape())
    if DYNAMIC_INDEX in shape:
        return array
    result = array.reshape(shape)
    if result.size and not np.may_share_memory(result, array):
        raise ValueError(f"no view of shape {shape} of strides {array.strides}")
    return result
