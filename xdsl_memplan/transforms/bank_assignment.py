"""Banks: buffers that an operation names lie in different banks of their memory."""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.wishes import operands_in_different_banks


def assign_banks(
    lifetimes: FunctionLifetimes, buffers: Sequence[PlannedBuffer]
) -> list[PlannedBuffer]:
    """Return the buffers with ranges of offsets that keep what operations name in different banks.

    Bank ``i`` of ``n`` is the bytes from ``i`` to ``i + 1`` n-ths of the capacity. A graph
    colouring: the buffer with most neighbours first, each into the bank with the fewest bytes that
    live with it and no neighbour.

    Raises PassFailedException with the operation where an operand is no buffer, a memory has no
    banks, or there are too few of them.
    """
    apart = _pairs(lifetimes, buffers)
    if not apart:
        return list(buffers)
    banks: dict[int, int] = {}
    ranged = list(buffers)
    for index in sorted(apart, key=lambda i: (-len(apart[i]), -buffers[i].size, i)):
        buffer = buffers[index]
        memory = buffer.memory
        assert memory.capacity is not None
        bank_bytes = memory.capacity // memory.banks
        taken = {banks[other] for other in apart[index] if other in banks}
        if buffer.fixed_offset is not None:
            at = buffer.fixed_offset // bank_bytes
            free = [] if at in taken else [at]
        else:
            free = [bank for bank in range(memory.banks) if bank not in taken]
        if not free or buffer.size > bank_bytes:
            raise _no_bank(buffer, bank_bytes, apart[index])
        load = dict.fromkeys(free, 0)
        for other, bank in banks.items():
            together = buffers[other].lifetime.overlaps(buffer.lifetime)
            if bank in load and together and buffers[other].memory is memory:
                load[bank] += buffers[other].size
        bank = min(free, key=lambda b: (load[b], b))
        banks[index] = bank
        low, high = bank * bank_bytes, (bank + 1) * bank_bytes
        if buffer.offset_range is not None:
            low, high = max(low, buffer.offset_range[0]), min(high, buffer.offset_range[1])
        if buffer.fixed_offset is None:
            ranged[index] = replace(buffer, offset_range=(low, high))
    return ranged


def _pairs(
    lifetimes: FunctionLifetimes, buffers: Sequence[PlannedBuffer]
) -> dict[int, dict[int, Operation]]:
    """Return for each buffer those it has to keep away from, with the operation that says so."""
    position = {buffer.trait.storage(buffer.op): i for i, buffer in enumerate(buffers)}
    apart: dict[int, dict[int, Operation]] = {}
    for op in operations_in(lifetimes.function):
        try:
            named = operands_in_different_banks(op)
        except ValueError as error:
            raise PassFailedException(f"{describe_op(op)}: {error}") from error
        roots = [_buffers_of(op, op.operands[i], lifetimes, position) for i in named]
        for i, mine in enumerate(roots):
            for other in roots[i + 1 :]:
                for a in mine:
                    for b in other:
                        _keep_apart(op, a, b, buffers, apart)
    return apart


def _keep_apart(
    op: Operation,
    a: int,
    b: int,
    buffers: Sequence[PlannedBuffer],
    apart: dict[int, dict[int, Operation]],
) -> None:
    memory = buffers[a].memory
    if memory is not buffers[b].memory:
        return
    if a == b:
        raise PassFailedException(f"{describe_op(op)}: wants one buffer in two banks")
    if memory.banks < 2 or memory.capacity is None:
        raise PassFailedException(
            f"{describe_op(op)}: wants different banks, but memory '{memory.name}' has none; say "
            f'so: memory="{memory.name}=64KiB:banks=4"'
        )
    apart.setdefault(a, {})[b] = op
    apart.setdefault(b, {})[a] = op


def _buffers_of(
    op: Operation, value: SSAValue, lifetimes: FunctionLifetimes, position: dict[SSAValue, int]
) -> list[int]:
    roots = lifetimes.aliases.roots(value)
    if not all(root in position for root in roots):
        raise PassFailedException(
            f"{describe_op(op)}: wants operands in different banks, one of which is no buffer of "
            "this function"
        )
    return [position[root] for root in roots]


def _no_bank(
    buffer: PlannedBuffer, bank_bytes: int, apart: dict[int, Operation]
) -> PassFailedException:
    memory = buffer.memory
    if buffer.size > bank_bytes:
        return PassFailedException(
            f"{describe_op(buffer.op)}: its {buffer.size} bytes are more than a bank of "
            f"'{memory.name}' holds, {bank_bytes}"
        )
    return PassFailedException(
        f"{describe_op(buffer.op)}: no bank is left of the {memory.banks} of '{memory.name}', as "
        f"it has to keep away from {len(apart)} buffers; the last to say so is "
        f"{describe_op(list(apart.values())[-1])}"
    )
