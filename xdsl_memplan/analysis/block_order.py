"""Bring the operations of a block into another order."""

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.dialects.operations_in import operations_in


def arrange(block: Block, order: Iterable[Operation]) -> None:
    """Bring operations of a block into the given order; linear.

    All others stand right before the first who uses them, those that nobody uses at the end. An
    operation that is listed before what it uses comes after that nevertheless.
    """
    placed: set[Operation] = set()
    sequence: list[Operation] = []
    terminator = block.last_op
    assert terminator is not None
    for op in (*order, *block.ops):
        if op is not terminator:
            _emit(op, block, placed, sequence)
    for op in sequence:
        op.detach()
    block.insert_ops_before(sequence, terminator)


def values_used(op: Operation) -> Sequence[SSAValue]:
    """List the operands of `op`, and those of operations in its regions that come from outside.

    What is defined inside of `op`, with regions in regions, may be among them.
    """
    if not op.regions:
        return tuple(op.operands)
    used = list(op.operands)
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    used += (value for nested in operations_in(inner) for value in nested.operands)
                    continue
                for value in inner.operands:
                    owner = value.owner
                    if owner is not block and owner.parent is not block:
                        used.append(value)
    return used


def _emit(op: Operation, block: Block, placed: set[Operation], sequence: list[Operation]) -> None:
    """Append `op` to `sequence`, after what it uses; iterative, as chains of views may be long."""
    pending = [(op, False)]
    while pending:
        current, ready = pending.pop()
        if current in placed:
            continue
        if ready:
            placed.add(current)
            sequence.append(current)
            continue
        pending.append((current, True))
        for value in reversed(values_used(current)):
            owner = value.owner
            if isinstance(owner, Operation) and owner.parent is block and owner not in placed:
                pending.append((owner, False))
