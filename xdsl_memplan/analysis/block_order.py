"""Bring the operations of a block into another order."""

from collections.abc import Iterable, Iterator

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


def values_used(op: Operation) -> Iterator[SSAValue]:
    """Iterate over the operands of `op` and of the operations in its regions."""
    if not op.regions:
        yield from op.operands
        return
    for inner in operations_in(op):
        yield from inner.operands


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
        for value in reversed(list(values_used(current))):
            owner = value.owner
            if isinstance(owner, Operation) and owner.parent is block and owner not in placed:
                pending.append((owner, False))
