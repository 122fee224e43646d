"""Which results of an operation need room: those that somebody reads, and what these need."""

from collections.abc import Sequence

from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xdsl_memplan.dialects.loop_lengths import kept_for_lengths
from xdsl_memplan.dialects.purity import only_computes


def needed_results(op: Operation, used: Sequence[bool]) -> tuple[bool, ...]:
    """For each result, whether it is used, or is needed to compute one that is.

    Of a maximum and its place often only the place is used, which is computed from the maximum so
    far. Other operations than a `linalg.generic` make all of their results.
    """
    if all(used) or not isinstance(op, linalg_ops.GenericOp):
        return (True,) * len(used)
    block = op.body.block
    first = len(op.inputs)
    terminator = block.last_op
    assert terminator is not None
    # What a kept result is computed from is kept, and so on until nothing is added.
    kept = kept_for_lengths(op.indexing_maps.data, used)
    work = [value for value, keep in zip(terminator.operands, kept, strict=True) if keep]
    for inner in block.ops:
        if inner is not terminator and not only_computes(inner):
            work.extend(inner.operands)
    seen = set(work)
    while work:
        value = work.pop()
        found: list[SSAValue] = []
        if isinstance(value, OpResult):
            for inner in value.op.walk():
                found.extend(inner.operands)
        elif isinstance(value, BlockArgument) and value.block is block:
            number = value.index - first
            if number >= 0 and not kept[number]:
                kept[number] = True
                found.append(terminator.operands[number])
        for operand in found:
            if operand not in seen:
                seen.add(operand)
                work.append(operand)
    return tuple(kept)
