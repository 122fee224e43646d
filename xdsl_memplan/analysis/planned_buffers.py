"""The buffers of a function that want an address, and the Problem they make."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.buffer_lifetime import buffer_lifetime, checked_wishes
from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.loop_reuse import LoopReuse
from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.unseen_uses import check_uses
from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import storage_of
from xdsl_memplan.dialects.wishes import bounded_size, copies_bytes, copy_stride
from xdsl_memplan.formats.byte_size import MAX_BYTES
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Pool, Problem


@dataclass(frozen=True)
class PlannedBuffer:
    """One operation that makes storage, with what planning has to know; sizes in bytes."""

    op: Operation
    trait: BufferLikeTrait
    memory: Memory
    size: int
    """Of all copies together."""
    alignment: int
    lifetime: Lifetime
    fixed_offset: int | None = None
    offset_range: tuple[int, int] | None = None
    """Half-open: the whole buffer lies in it."""
    candidates: tuple[Memory, ...] = ()
    """Memories it may go to, the preferred one first; empty: `memory` only."""
    copy_stride: int | None = None
    """Bytes from one copy to the next; None for one copy."""


@dataclass(frozen=True)
class ReservedRange:
    """Bytes ``[offset, offset + size)`` of a memory that a call takes for some ticks."""

    op: Operation
    offset: int
    size: int
    lifetime: Lifetime


def planned_buffers(
    lifetimes: FunctionLifetimes,
    memories: Memories,
    *,
    keep_lifetimes: bool,
    keep_offsets: bool = False,
    calls: Sequence[Operation] = (),
) -> list[PlannedBuffer]:
    """Collect the buffers of a function in the order of the file.

    With ``keep_lifetimes``, lifetimes written in the IR are taken. They have to be those that are
    computed where that cannot be: where a buffer has none, and where ``calls`` take memory at ticks
    that somebody else's lifetimes do not tell. With ``keep_offsets``, a buffer that has an offset
    is fixed there.

    Raises PassFailedException for a size that is not known, a place that cannot be planned, and a
    lifetime that cannot be kept.
    """
    storage = storage_operations(lifetimes.function)
    written = [trait.get_lifetime(op) for op, trait in storage]
    keep = keep_lifetimes and None not in written and not calls
    reuse = LoopReuse(lifetimes)
    buffers: list[PlannedBuffer] = []
    for (op, trait), old in zip(storage, written, strict=True):
        wishes = checked_wishes(op)
        _check_place(op, trait, lifetimes, reuse, wishes.copies)
        candidates = tuple(memories.named(op, name) for name in wishes.candidates)
        memory = candidates[0] if candidates else memories.memory_of(op)
        alignment = trait.alignment(op) or memory.alignment
        stride = copy_stride(size := _size(op, trait), alignment)
        computed = buffer_lifetime(op, trait, lifetimes, wishes)
        if computed.start == computed.end:
            check_uses(op, trait.storage(op), lifetimes)
        if keep_lifetimes and not keep and old not in (None, computed):
            without = next((o for (o, _), at in zip(storage, written, strict=True) if not at), None)
            raise _cannot_keep(op, old, computed, without or calls[0])
        if keep and old is not None and old.start == old.end and computed.start < computed.end:
            raise PassFailedException(
                f"{describe_op(op)}: its lifetime in the IR, [{old.start}, {old.end}), is empty, "
                f"and operations use it from tick {computed.start} to {computed.end}"
            )
        buffers.append(
            PlannedBuffer(
                op,
                trait,
                memory,
                _checked_size(op, copies_bytes(size, stride, wishes.copies)),
                alignment,
                old if keep and old is not None else computed,
                trait.get_offset(op) if keep_offsets and not wishes.pins else wishes.fixed_offset,
                wishes.offset_range,
                candidates,
                stride if wishes.copies > 1 else None,
            )
        )
    return buffers


def _cannot_keep(
    op: Operation, old: Lifetime, computed: Lifetime, because: Operation
) -> PassFailedException:
    what = (
        "takes memory at ticks that given lifetimes do not tell; inline it"
        if isinstance(because, CallOp)
        else "has none; give every buffer of the function one"
    )
    return PassFailedException(
        f"{describe_op(op)}: its lifetime is [{old.start}, {old.end}), and by the operations it is "
        f"[{computed.start}, {computed.end}); it cannot be kept, as {describe_op(because)} {what}, "
        "or have them computed with keep-lifetimes=false"
    )


def storage_operations(function: FuncOp) -> list[tuple[Operation, BufferLikeTrait]]:
    """Return all operations of a function that make storage, with the trait that tells about it."""
    by_class: dict[type[Operation], BufferLikeTrait | None] = {}
    found: list[tuple[Operation, BufferLikeTrait]] = []
    for op in operations_in(function):
        kind = type(op)
        if kind not in by_class:
            by_class[kind] = storage_of(op)
        trait = by_class[kind]
        if trait is not None:
            found.append((op, trait))
    return found


def problem_of(
    buffers: Sequence[PlannedBuffer], memory: Memory, reserved: Sequence[ReservedRange] = ()
) -> Problem:
    """Make the problem of one function and memory: ``buffers``, then ``reserved``, fixed in place.

    Ranges of offsets are not part of it: `Problem` knows none.

    Lifetimes are ticks of the function, sizes bytes, offsets count from the memory's base address.
    """
    entries = [*buffers, *reserved]
    alignments = [b.alignment for b in buffers] + [1] * len(reserved)
    names = [f"b{i}" for i in range(len(buffers))] + [f"call{i}" for i in range(len(reserved))]
    return Problem(
        sizes=np.array([e.size for e in entries], dtype=np.int64),
        starts=np.array([e.lifetime.start for e in entries], dtype=np.int64),
        ends=np.array([e.lifetime.end for e in entries], dtype=np.int64),
        alignments=np.array(alignments, dtype=np.int64),
        ids=names,
        fixed=[
            *((i, b.fixed_offset) for i, b in enumerate(buffers) if b.fixed_offset is not None),
            *((len(buffers) + i, r.offset) for i, r in enumerate(reserved)),
        ],
        pools=(Pool(memory.name, memory.capacity, memory.base or 0),),
    )


def _size(op: Operation, trait: BufferLikeTrait) -> int:
    try:
        size = bounded_size(op, trait.size_bytes(op))
    except ValueError as error:
        raise PassFailedException(f"{describe_op(op)}: {error}") from error
    type_ = trait.storage(op).type
    if size is None:
        raise PassFailedException(
            f"{describe_op(op)}: the size of {type_} is not known at compile time; "
            "only static shapes and strides can be planned, or say the most bytes that it can "
            "have: memplan.size_bound = 4096 : i64"
        )
    return _checked_size(op, size, type_)


def _checked_size(op: Operation, size: int, type_: Attribute | None = None) -> int:
    if not 0 <= size <= MAX_BYTES:
        why = "more than 2^63 - 1" if size > 0 else "less than none"
        what = "takes" if type_ is None else f"{type_} takes"
        raise PassFailedException(f"{describe_op(op)}: {what} {size} bytes, {why}")
    return size


def _check_place(
    op: Operation,
    trait: BufferLikeTrait,
    lifetimes: FunctionLifetimes,
    reuse: LoopReuse,
    copies: int,
) -> None:
    """Refuse storage that must exist more often at once than it has copies."""
    block = op.parent
    loop = lifetimes.time.loops.get(block) if block is not None else None
    while loop is not None:
        if kind_of(loop.op) is Kind.PARALLEL_LOOP:
            raise PassFailedException(
                f"{describe_op(op)}: iterations of the parallel loop around it would share one "
                "address; allocate outside of the loop, or use scf.for"
            )
        loop = loop.parent
    if isinstance(op, BufferOp):
        return  # By definition one storage, reused by every iteration.
    if reuse.clashes(trait.storage(op), copies):
        would_not_do = "one address" if copies == 1 else f"{copies} copies"
        raise PassFailedException(
            f"{describe_op(op)}: the loop hands this memory to its next iteration, which still "
            f"needs it while it allocates anew: {would_not_do} would not do; allocate outside of "
            f"the loop, or ask for more with memplan.copies = {copies + 1} : i64 and alternate"
        )
