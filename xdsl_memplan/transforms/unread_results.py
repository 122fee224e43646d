"""Results that nobody reads: of a maximum and its place often only the maximum is used."""

from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.dialects.loop_lengths import kept_for_lengths
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.transforms.new_generic import put_in_place


def without_unread_results(op: GenericOp) -> GenericOp:
    """Replace a `linalg.generic` by one without the results that nobody reads; linear in its body.

    All stay where one that is read is computed from what another was in the iteration before, where
    there are side effects, or where nobody reads any. One that alone tells the length of a loop
    stays, too. Those that stay are the same bit for bit.
    """
    read = [result.first_use is not None for result in op.results]
    if all(read) or not any(read) or must_keep_order(op):
        return op
    stays = kept_for_lengths(op.indexing_maps.data, read)
    kept = [i for i, stay in enumerate(stays) if stay]
    if len(kept) == len(op.results):
        return op
    block = op.body.block
    yielded = block.last_op
    assert isinstance(yielded, YieldOp)
    needed = _needed(block, [yielded.operands[i] for i in kept])
    inputs = input_count(op)
    if any(i not in kept and before in needed for i, before in enumerate(block.args[inputs:])):
        return op
    return _with_results(op, kept, inputs)


def _needed(block: Block, wanted: list[SSAValue]) -> set[SSAValue]:
    """All scalars of a body, arguments among them, that some are computed from."""
    needed = set(wanted)
    for op in reversed(list(block.ops)):
        if any(result in needed for result in op.results):
            needed.update(op.operands)
            for inner in op.walk():
                needed.update(inner.operands)
    return needed


def _with_results(op: GenericOp, kept: list[int], inputs: int) -> GenericOp:
    block = op.body.block
    op.body.detach_block(block)
    yielded = block.last_op
    assert yielded is not None
    scalars = [yielded.operands[i] for i in kept]
    yielded.detach()
    yielded.erase()
    block.add_op(YieldOp(*scalars))
    _erase_unused(block)
    for i in reversed(range(len(op.results))):
        if i not in kept:
            block.erase_arg(block.args[inputs + i])
    maps = op.indexing_maps.data
    return put_in_place(
        op,
        block,
        (op.inputs, [op.outputs[i] for i in kept]),
        [*maps[:inputs], *(maps[inputs + i] for i in kept)],
        kept,
    )


def _erase_unused(block: Block) -> None:
    scalars: list[Operation] = list(block.ops)[:-1]
    for scalar in reversed(scalars):
        if all(result.first_use is None for result in scalar.results):
            scalar.detach()
            scalar.erase()
