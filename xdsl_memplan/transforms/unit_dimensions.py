"""Reshapes that only add, drop or move dimensions of size 1: views, never copies."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue


def non_unit_dimensions(shape: Sequence[int]) -> list[int]:
    """List the positions of the dimensions that are not 1."""
    return [position for position, size in enumerate(shape) if size != 1]


def unit_reshape(value: SSAValue, shape: Sequence[int]) -> tuple[list[Operation], SSAValue]:
    """Make operations that show the tensor ``value`` with another ``shape``, and their result.

    Both shapes are static and equal but for dimensions of size 1.
    """
    type_ = cast(TensorType[Attribute], value.type)
    old = type_.get_shape()
    element = type_.get_element_type()
    operations: list[Operation] = []
    if tuple(shape) == tuple(old):
        return operations, value
    core = [old[position] for position in non_unit_dimensions(old)] or [1]
    if len(core) != len(old):
        collapse = collapsed(value, _groups(old), TensorType(element, core))
        operations.append(collapse)
        value = collapse.result
    if len(core) != len(shape):
        expand = expanded(value, _groups(shape), TensorType(element, shape))
        operations.append(expand)
        value = expand.result
    return operations, value


def expanded(
    value: SSAValue,
    groups: ArrayAttr[ArrayAttr[IntegerAttr]],
    type_: TensorType[Attribute],
) -> tensor.ExpandShapeOp:
    """Make the operation that shows ``value`` with more dimensions; all sizes are static."""
    # Not by the constructor, which looks at everything and takes ten times as long.
    return tensor.ExpandShapeOp.create(
        operands=[value],
        properties={
            "reassociation": groups,
            "static_output_shape": _static_shape(type_.get_shape()),
        },
        result_types=[type_],
    )


def collapsed(
    value: SSAValue,
    groups: ArrayAttr[ArrayAttr[IntegerAttr]],
    type_: TensorType[Attribute],
) -> tensor.CollapseShapeOp:
    """Make the operation that shows ``value`` with fewer dimensions."""
    return tensor.CollapseShapeOp.create(
        operands=[value], properties={"reassociation": groups}, result_types=[type_]
    )


@lru_cache(maxsize=1024)  # A network has few different ones.
def _static_shape(shape: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, shape)


def reassociation(groups: Iterable[Iterable[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Write down the dimensions that a reshape merges, or makes of one."""
    return _written(tuple(tuple(group) for group in groups))


@lru_cache(maxsize=1024)
def _written(groups: tuple[tuple[int, ...], ...]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(
        ArrayAttr(IntegerAttr(position, i64) for position in group) for group in groups
    )


def _groups(shape: Sequence[int]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Group the dimensions of ``shape`` so that each group has one that is not 1."""
    starts = non_unit_dimensions(shape)[1:]
    return reassociation(range(start, end) for start, end in pairwise([0, *starts, len(shape)]))
