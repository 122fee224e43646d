"""Operations on tensors that only look at the bytes of another tensor in a different shape."""

from functools import cache
from itertools import pairwise
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import Groups, Tensor, kept_dimensions
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.dialects.slice_offsets import offsets_of
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.place import Collapse, Expand, Slice, View

VIEW_OPS = (
    tensor.CollapseShapeOp,
    tensor.ExpandShapeOp,
    tensor.ExtractSliceOp,
    tensor.CastOp,
    tensor.ReshapeOp,
)


def viewed(op: Operation) -> SSAValue | None:
    """The tensor whose bytes the result of `op` is; None if `op` is not a view."""
    return op.operands[0] if _is_view(type(op)) else None


@cache  # Asked of every operation, and isinstance is slow where a class has an ABC.
def _is_view(op_class: type[Operation]) -> bool:
    return issubclass(op_class, VIEW_OPS)


def views_of(op: Operation) -> tuple[View, ...]:
    """The views that lead from the operand to the result of an operation in `VIEW_OPS`.

    A slice of all elements changes the shape at most, so that there is a way back.

    Raises PassFailedException for sizes or strides that are known at run time only.
    """
    match op:
        case tensor.CollapseShapeOp():
            return (Collapse(_groups(op.reassociation), _shape(op.results[0])),)
        case tensor.ExpandShapeOp():
            return (Expand(_groups(op.reassociation), _shape(op.results[0])),)
        case tensor.ReshapeOp():
            old, new = _shape(op.operands[0]), _shape(op.results[0])
            return _reshaped(old, new)
        case tensor.ExtractSliceOp():
            return _sliced(op)
        case _:
            return ()


def inverse(view: View, shape: tuple[int, ...]) -> View | None:
    """The view back to the tensor of `shape` that `view` was taken of; a slice has none."""
    match view:
        case Collapse():
            return Expand(view.groups, shape)
        case Expand():
            return Collapse(view.groups, shape)
        case Slice():
            return None


RegionOp: TypeAlias = tensor.ExtractSliceOp | tensor.InsertSliceOp | LoadOp | StoreOp | CarryOp
"""An operation on a part of a tensor."""


def slice_of(op: RegionOp, shape: tuple[int, ...]) -> Slice:
    """The slice that an operation reads or writes, of which a tensor of `shape` is left.

    Where it has one element there is no next one, and the stride is 1: by other strides MLIR fails
    to tell which dimensions a subview drops.
    """
    sizes, strides = op.static_sizes.get_values(), op.static_strides.get_values()
    if DYNAMIC_INDEX in sizes or DYNAMIC_INDEX in strides:
        raise cannot_bufferize(op, "sizes and strides of a slice must be static")
    kept = kept_dimensions(sizes, shape)
    if kept is None:
        raise cannot_bufferize(op, f"a slice of {sizes} has not the shape {shape}")
    steps = (1 if size == 1 else stride for size, stride in zip(sizes, strides, strict=True))
    return Slice(tuple(offsets_of(op)), tuple(sizes), tuple(steps), kept)


def _sliced(op: tensor.ExtractSliceOp) -> tuple[View, ...]:
    old, new = _shape(op.source), _shape(op.result)
    slice = slice_of(op, new)
    if slice.sizes != old or any(stride != 1 for stride in slice.strides):
        return (slice,)
    # With all elements there is one offset that is allowed.
    if old == new:
        return ()
    if not new:
        return (Collapse((), ()),)
    # A dimension that remains takes the dropped ones up to the next, the first those before, too.
    starts = (0, *slice.kept[1:], len(old))
    return (Collapse(tuple(tuple(range(*ends)) for ends in pairwise(starts)), new),)


def _reshaped(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[View, ...]:
    flat = (prod(old),)
    views: list[View] = []
    if len(old) == 0:
        views.append(Expand((), flat))
    elif len(old) > 1:
        views.append(Collapse((tuple(range(len(old))),), flat))
    if len(new) == 0:
        views.append(Collapse((), ()))
    elif len(new) > 1:
        views.append(Expand((tuple(range(len(new))),), new))
    return tuple(views)


def _groups(attribute: ArrayAttr[ArrayAttr[IntegerAttr]]) -> Groups:
    return tuple(tuple(i.value.data for i in group.data) for group in attribute.data)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return cast(Tensor, value.type).get_shape()
