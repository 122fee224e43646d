"""Where a slice or a region begins, in numbers and in values that are known at run time only."""

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.tensor import ExtractSliceOp, InsertSliceOp
from xdsl.ir import SSAValue

from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp


def offsets_of(
    op: ExtractSliceOp | InsertSliceOp | LoadOp | StoreOp | CarryOp,
) -> list[int | SSAValue]:
    """List the offset of each dimension, in elements."""
    dynamic = iter(op.offsets)
    return [
        next(dynamic) if offset == DYNAMIC_INDEX else offset
        for offset in op.static_offsets.get_values()
    ]
