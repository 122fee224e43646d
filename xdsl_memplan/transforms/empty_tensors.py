"""Tensors without an element say nothing: what reads them does without.

Such tensors come of slices that happen to be empty, as the past of a decoder's first token. No tile
holds an element of one, so an operation that reads it has no rule for tiles.
"""

from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineDimExpr
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.analysis.storage_type import has_no_element, is_tensor
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import Tensor, filled, shape_of


def drop_empty_tensors(block: Block) -> None:
    """Let the operations of a block read no tensor without an element; linear in the block.

    A concatenation has only the parts that have elements, an insertion of nothing is the
    destination, a border around nothing is all border, and a sum of no products is what it starts
    with. What makes nothing becomes a `tensor.empty`.
    """
    for op in list(block.ops):
        if op.results and all(map(has_no_element, op.results)):
            if not isinstance(op, tensor.EmptyOp) and not must_keep_order(op):
                rooms = [tensor.EmptyOp((), cast(Tensor, result.type)) for result in op.results]
                Rewriter.replace_op(op, rooms)
        elif any(map(has_no_element, op.operands)):
            _without_empty(op)


def _without_empty(op: Operation) -> None:
    match op:
        case tensor.ConcatOp():
            parts = [part for part in op.inputs if not has_no_element(part)]
            if len(parts) == 1:
                Rewriter.replace_op(op, [], parts)
            else:
                op.operands = parts
        case tensor.InsertSliceOp() if has_no_element(op.source):
            Rewriter.replace_op(op, [], [op.dest])
        case tensor.PadOp():
            _all_border(op)
        case LinalgStructuredOperation() if not must_keep_order(op) and _has_empty_loop(op):
            # A loop without an iteration: nothing is written over what the outputs held.
            Rewriter.replace_op(op, [], op.operands[input_count(op) :])
        case _:
            pass


def _has_empty_loop(op: LinalgStructuredOperation) -> bool:
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    return any(
        extent == 0 and isinstance(expression, AffineDimExpr)
        for operand, map_ in zip(op.operands, maps, strict=True)
        if is_tensor(operand.type)
        for expression, extent in zip(map_.results, shape_of(operand), strict=True)
    )


def _all_border(pad: tensor.PadOp) -> None:
    terminator = pad.region.block.last_op
    assert terminator is not None
    (value,) = terminator.operands
    inside = isinstance(value.owner, Block) or value.owner.parent is pad.region.block
    type_ = pad.result.type
    if not inside and DYNAMIC_INDEX not in type_.get_shape():
        border = filled(value, type_, Builder(InsertPoint.before(pad)))
        Rewriter.replace_op(pad, [], [border])
