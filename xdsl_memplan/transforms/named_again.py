"""Fills and transposes that `linalg-generalize-named-ops` made generic have their names again."""

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp, TransposeOp, YieldOp
from xdsl.ir import BlockArgument, Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.transforms.as_generic import hand_over


def named_again(op: GenericOp) -> Operation | None:
    """Replace ``op`` by the `linalg.fill` or `linalg.transpose` that it is; None if it is neither.

    A fill costs no room where a sum starts with it, and tiles of it are made where they are needed;
    a transpose is folded into those who read it. A generic one would be an operation as any other.
    """
    if len(op.results) != 1 or op.library_call is not None:
        return None
    if any(kind.data is not IteratorType.PARALLEL for kind in op.get_iterator_types()):
        return None
    if op.body.block.first_op is not op.body.block.last_op:
        return None
    *read, written = (attribute.data for attribute in op.indexing_maps)
    if written != AffineMap.identity(written.num_dims):
        return None
    named = _fill(op)
    if named is None and len(read) == 1:
        named = _transpose(op, read[0])
    if named is None:
        return None
    named.attributes |= {n: a for n, a in op.attributes.items() if n not in named.attributes}
    named.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(named, op)
    hand_over(op, named.results)
    return named


def _fill(op: GenericOp) -> FillOp | None:
    """Make the fill with a scalar from outside of the body, or a scalar operand."""
    if any(is_tensor(value.type) for value in op.inputs):
        return None
    block = op.body.block
    assert isinstance(block.last_op, YieldOp)
    (scalar,) = block.last_op.operands
    if isinstance(scalar, BlockArgument) and scalar.block is block:
        if scalar is block.args[-1]:
            return None
        scalar = op.inputs[scalar.index]
    return FillOp([scalar], op.outputs, op.result_types)


def _transpose(op: GenericOp, read: AffineMap) -> TransposeOp | None:
    """Make the transpose that moves each element of the input elsewhere."""
    block = op.body.block
    assert isinstance(block.last_op, YieldOp)
    if block.last_op.operands[0] is not block.args[0] or not is_tensor(op.inputs[0].type):
        return None
    loops = [expr.position for expr in read.results if isinstance(expr, AffineDimExpr)]
    rank = read.num_dims
    if sorted(loops) != [*range(rank)] or len(read.results) != rank or loops == [*range(rank)]:
        return None
    # Loop `d` is dimension `d` of the result, and the one of the input that is read along it.
    permutation = DenseArrayBase.from_list(i64, [loops.index(loop) for loop in range(rank)])
    return TransposeOp(op.inputs[0], op.outputs[0], permutation, op.result_types[0])
