"""Takes what several slices at one position of run time have in common once, and slices of that."""

from collections import defaultdict
from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.tensor import ExtractSliceOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa


def take_slices_once(body: Block) -> None:
    """Let the slices of a block that begin at one position of the first dimension share its rows.

    Also those of slices with all rows, at known positions.

    Where several slices have the same rows of a tensor, these are taken once, and what each has of
    them is a slice at a known position. Readers of the same bytes are then seen to read one tensor.
    """
    alike: dict[tuple[SSAValue, SSAValue, int], list[ExtractSliceOp]] = defaultdict(list)
    for op in list(body.ops):
        if isinstance(op, ExtractSliceOp) and _has_rows_at_run_time(op):
            op = _of_what_was_sliced(op)
            alike[op.source, op.offsets[0], op.static_sizes.get_values()[0]].append(op)
    for (source, first, rows), slices in alike.items():
        if len(slices) > 1:
            _take_once(source, first, rows, slices)


def _has_rows_at_run_time(op: ExtractSliceOp) -> bool:
    """Tell whether only the first row is known at run time only, and the rows have no steps."""
    at_run_time = [offset == DYNAMIC_INDEX for offset in op.static_offsets.get_values()]
    return (
        at_run_time[:1] == [True]
        and not any(at_run_time[1:])
        and not op.sizes
        and not op.strides
        and op.static_strides.get_values()[0] == 1
    )


def _of_what_was_sliced(op: ExtractSliceOp) -> ExtractSliceOp:
    """The same as a slice of what its source is a slice of, if that has all rows."""
    source = op.source.owner
    while isinstance(source, ExtractSliceOp) and _has_all_rows(source):
        offsets = op.static_offsets.get_values()[1:]
        behind = source.static_offsets.get_values()[1:]
        sizes, strides = op.static_sizes.get_values(), op.static_strides.get_values()
        offsets = [a + b for a, b in zip(offsets, behind, strict=True)]
        slice_ = ExtractSliceOp(
            source.source, [op.offsets[0], *offsets], [*sizes], [*strides], op.result.type
        )
        Rewriter.replace_op(op, slice_)
        op, source = slice_, slice_.source.owner
    return op


def _has_all_rows(op: ExtractSliceOp) -> bool:
    """Tell whether a slice at known positions has all rows, no steps, and all dimensions."""
    source, result = op.source.type, op.result.type
    assert isa(source, TensorType)
    assert isa(result, TensorType)
    return (
        not op.offsets
        and not op.sizes
        and not op.strides
        and set(op.static_strides.get_values()) == {1}
        and source.get_num_dims() == result.get_num_dims()
        and source.get_shape()[0] == result.get_shape()[0]
    )


def _take_once(
    source: SSAValue, first: SSAValue, rows: int, slices: Sequence[ExtractSliceOp]
) -> None:
    type_ = source.type
    assert isa(type_, TensorType)
    shape = [rows, *type_.get_shape()[1:]]
    zeros, ones = [0] * len(shape), [1] * len(shape)
    # The rows come first in the block: their position is known where the first slice is.
    taken = ExtractSliceOp(
        source, [first, *zeros[1:]], shape, ones, TensorType(type_.element_type, shape)
    )
    block = slices[0].parent
    assert block is not None
    block.insert_op_before(taken, slices[0])
    for op in slices:
        sizes, strides = op.static_sizes.get_values(), op.static_strides.get_values()
        if op.result.type == taken.result.type:
            op.result.replace_all_uses_with(taken.result)
            Rewriter.erase_op(op)
            continue
        offsets = [0, *op.static_offsets.get_values()[1:]]
        part = ExtractSliceOp(taken.result, offsets, [*sizes], [*strides], op.result.type)
        Rewriter.replace_op(op, part)
