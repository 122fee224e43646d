"""Whether what is put together from parts can have a part in it that is looked at in another shape.

A part of a row of a larger tensor is no row of its own: what is collapsed from it, or expanded to
it, may be no memref there, and then is made elsewhere and copied.
"""

from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import (
    Groups,
    Memref,
    collapsed_type,
    dense_memref,
    expanded_type,
    kept_dimensions,
    subview_type,
)


def fits_its_slot(op: Operation, operand: int) -> bool:
    """Tell whether what an operand of a pad, a concatenation or an insertion shows can lie there.

    Linear in the views between the operand and what they show.
    """
    value = op.operands[operand]
    slot = _slot(op, value)
    while slot is not None and isinstance(value.owner, Operation):
        match value.owner:
            case tensor.ExpandShapeOp() as view:
                groups = _groups(view.reassociation)
                slot = collapsed_type(slot, groups, _shape(view.src))
                value = view.src
            case tensor.CollapseShapeOp() as view:
                slot = expanded_type(slot, _groups(view.reassociation), _shape(view.src))
                value = view.src
            case _:
                break
    return slot is not None


def _slot(op: Operation, value: SSAValue) -> Memref | None:
    """The memref of the part of the result that an operand is put into; offsets do not matter."""
    whole = dense_memref(cast(TensorType[Attribute], op.results[0].type))
    rank = len(whole.get_shape())
    sizes, steps = _shape(value), (1,) * rank
    kept: tuple[int, ...] | None = tuple(range(rank))
    if isinstance(op, tensor.InsertSliceOp):
        sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
        kept = kept_dimensions(sizes, _shape(value))
    if kept is None or DYNAMIC_INDEX in (*sizes, *steps):
        return None
    return subview_type(whole, [None] * rank, sizes, steps, kept)


def _groups(attribute: ArrayAttr[ArrayAttr[IntegerAttr]]) -> Groups:
    return tuple(tuple(i.value.data for i in group.data) for group in attribute.data)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(cast(TensorType[Attribute], value.type).get_shape())
