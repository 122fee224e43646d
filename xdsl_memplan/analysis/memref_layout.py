"""Types of memrefs: what is contiguous, and what views of them look like.

The rules are those of upstream's `memref` operations: a view of a memref without a layout has
none either, until a subview gives it one.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Attribute

Memref: TypeAlias = MemRefType[Attribute]
Tensor: TypeAlias = TensorType[Attribute]
Groups: TypeAlias = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=4096)
def dense_memref(tensor: Tensor, space: Attribute | None = None) -> Memref:
    """The memref of a tensor with an identity layout."""
    return MemRefType(tensor.element_type, tensor.get_shape(), NoneAttr(), space or NoneAttr())


def repeated_element(memref: Memref) -> Memref:
    """The memref of the same shape that has one element in memory, which is at every index."""
    return _with_layout(memref, memref.get_shape(), [0] * len(memref.get_shape()), 0)


def is_dense(memref: Memref) -> bool:
    """Tell whether the layout is the identity."""
    return isinstance(memref.layout, NoneAttr)


def _is_identity(memref: Memref) -> bool:
    """Tell whether MLIR takes the layout for the identity: reshapes of such memrefs have none."""
    if is_dense(memref):
        return True
    return len(memref.get_shape()) == 1 and strides_of(memref) == ([1], 0)


def strides_of(memref: Memref) -> tuple[list[int], int | None]:
    """Strides and offset in elements; an offset that is known at run time only is None."""
    strides = memref.get_strides()
    assert strides is not None
    static = [stride for stride in strides if stride is not None]
    assert len(static) == len(strides)
    return static, memref.get_offset()


def _with_layout(
    memref: Memref, shape: Sequence[int], strides: Sequence[int], offset: int | None
) -> Memref:
    return _strided(memref.element_type, tuple(shape), tuple(strides), offset, memref.memory_space)


@lru_cache(maxsize=4096)
def _strided(
    element_type: Attribute,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int | None,
    space: Attribute,
) -> Memref:
    """A memref with a layout, made once: many slices of one type look alike."""
    return MemRefType(element_type, shape, StridedLayoutAttr(list(strides), offset), space)


def subview_type(
    memref: Memref,
    offsets: Sequence[int | None],
    sizes: Sequence[int],
    steps: Sequence[int],
    kept: Sequence[int],
) -> Memref:
    """The type of a subview of which only the dimensions `kept` remain."""
    strides, offset = strides_of(memref)
    for start, stride in zip(offsets, strides, strict=True):
        offset = None if offset is None or start is None else offset + start * stride
    new = [stride * step for stride, step in zip(strides, steps, strict=True)]
    return _with_layout(memref, [sizes[d] for d in kept], [new[d] for d in kept], offset)


def expanded_type(memref: Memref, groups: Groups, shape: Sequence[int]) -> Memref:
    """The type after splitting each dimension `i` into the dimensions `groups[i]` of `shape`."""
    if _is_identity(memref):
        return MemRefType(memref.element_type, shape, NoneAttr(), memref.memory_space)
    strides, offset = strides_of(memref)
    new = [0] * len(shape)
    if not groups:
        new = [1] * len(shape)
    for stride, group in zip(strides, groups, strict=False):
        for dimension in reversed(group):
            new[dimension] = stride
            stride *= shape[dimension]
    return _with_layout(memref, shape, new, offset)


def collapsed_type(memref: Memref, groups: Groups, shape: Sequence[int]) -> Memref | None:
    """The type after joining the dimensions `groups[i]`; None if they are not contiguous."""
    if _is_identity(memref):
        return MemRefType(memref.element_type, shape, NoneAttr(), memref.memory_space)
    old = memref.get_shape()
    strides, offset = strides_of(memref)
    new: list[int] = []
    for group in groups:
        last = next((d for d in reversed(group) if old[d] != 1), group[0])
        stride = strides[last]
        new.append(stride)
        for dimension in reversed(group[1:]):
            stride *= old[dimension]
            if old[dimension - 1] != 1 and strides[dimension - 1] != stride:
                return None
    return _with_layout(memref, shape, new, offset)


def kept_dimensions(sizes: Sequence[int], shape: Sequence[int]) -> tuple[int, ...] | None:
    """Which of `sizes` make up `shape` when dimensions of size 1 are dropped, if any do."""
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(dimension)
        elif size != 1:
            return None
    return tuple(kept) if len(kept) == len(shape) else None


def is_static(shape: Sequence[int]) -> bool:
    """Tell whether no size is known at run time only."""
    return DYNAMIC_INDEX not in shape
