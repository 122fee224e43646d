"""`scf.forall` as loops one within another, which everything else knows."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.dialects.tensor import InsertSliceOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.dialects.scf_additions import ForallOp, InParallelOp
from xdsl_memplan.dialects.tensor_additions import ParallelInsertSliceOp


def forall_as_loops(op: ForallOp) -> None:
    """Replace an operation by loops that run its iterations one after another, outermost first.

    Any order will do, as no iteration reads what another one makes. What is shared goes through the
    loops, and what an iteration puts into it is inserted into what is there. An operation without
    loops, or that ends in something else than slices to insert, stays.
    """
    bounds, block = op.bounds(), op.body.block
    last = block.last_op
    assert isinstance(last, InParallelOp)
    inserted = [*last.region.block.ops]
    shared = block.args[len(bounds) :]
    if not bounds or not all(_into(made, shared) for made in inserted):
        return
    carried = [*_inserted_before(last, inserted, shared)]
    Rewriter.replace_op(last, YieldOp(*carried))
    values = [[_index(op, bound) for bound in of_loop] for of_loop in bounds]
    at, hand_on = InsertPoint.before(op), list(op.outputs)
    results: Sequence[SSAValue] = ()
    indices: list[SSAValue] = []
    for depth, (lower, upper, step) in enumerate(values):
        types = [IndexType(), *(value.type for value in hand_on)]
        body = Block(arg_types=types)
        loop = ForOp(lower, upper, step, hand_on, Region(body))
        loop.location = op.location
        Rewriter.insert_op(loop, at)
        if depth == 0:
            loop.attributes |= op.attributes
            results = loop.results
        else:
            Rewriter.insert_op(YieldOp(*loop.results), InsertPoint.after(loop))
        body.args[0].name_hint = block.args[depth].name_hint
        for argument, old in zip(body.args[1:], shared, strict=True):
            argument.name_hint = old.name_hint
        indices.append(body.args[0])
        at, hand_on = InsertPoint.at_end(body), list(body.args[1:])
    Rewriter.inline_block(block, at, [*indices, *hand_on])
    Rewriter.replace_op(op, (), results)


def _into(made: Operation, shared: Sequence[SSAValue]) -> bool:
    return isinstance(made, ParallelInsertSliceOp) and made.dest in shared


def _inserted_before(
    last: InParallelOp, inserted: Sequence[Operation], shared: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Insert slices before the end of an iteration; what is shared thereafter."""
    now = dict(zip(shared, shared, strict=True))
    for made in inserted:
        assert isinstance(made, ParallelInsertSliceOp)
        assert isinstance(made.dest.type, TensorType)
        dest = made.dest
        operands = [[made.source], [now[dest]], made.offsets, made.sizes, made.strides]
        slice_ = InsertSliceOp.build(
            operands=operands, result_types=[dest.type], properties=made.properties
        )
        slice_.location = made.location
        Rewriter.insert_op(slice_, InsertPoint.before(last))
        now[dest] = slice_.result
    return [now[value] for value in shared]


def _index(op: Operation, bound: SSAValue | int) -> SSAValue:
    """A bound as a value; a number becomes a constant before the operation."""
    if isinstance(bound, SSAValue):
        return bound
    constant = ConstantOp(IntegerAttr(bound, IndexType()))
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result
