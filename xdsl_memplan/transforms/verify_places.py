"""Checks where single buffers lie: inside of their arena, aligned, and as they ask."""

from collections.abc import Mapping

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memplan import ARENA, ArenaOp, BufferOp
from xdsl_memplan.dialects.wishes import (
    bounded_size,
    copies_bytes,
    copy_stride,
    wishes_of,
    written_stride,
)
from xdsl_memplan.transforms.abstract_execution import Place


def checked_place(op: Operation, trait: BufferLikeTrait, arenas: Mapping[str, ArenaOp]) -> Place:
    """Return where a buffer is, after checking that it may be there.

    Raises PassFailedException with the buffer that has no offset, is misaligned, outside of its
    arena, or not where it asks for.
    """
    symbol = op.arena if isinstance(op, BufferOp) else op.attributes.get(ARENA)
    name = symbol.string_value() if isinstance(symbol, SymbolRefAttr) else None
    offset = trait.get_offset(op)
    try:
        size = bounded_size(op, trait.size_bytes(op))
    except ValueError as error:
        raise PassFailedException(f"{describe_op(op)}: {error}") from error
    if offset is None or name is None:
        raise PassFailedException(
            f"{describe_op(op)}: has no offset; run memplan-assign-offsets first"
        )
    if size is None:
        raise PassFailedException(
            f"{describe_op(op)}: its size is not known, so it cannot be verified"
        )
    alignment = trait.alignment(op) or 1
    size, copies = _checked_wishes(op, name, offset, size, alignment)
    arena = arenas.get(name)
    if arena is None or arena.size is None:
        raise PassFailedException(f"{describe_op(op)}: the module has no arena @{name} with a size")
    capacity = arena.size.value.data
    if arena.capacity is not None:
        if capacity > arena.capacity.value.data:
            raise PassFailedException(
                f"{describe_op(arena)}: size {capacity} is above capacity "
                f"{arena.capacity.value.data}"
            )
    if offset < 0 or offset + size > capacity:
        raise PassFailedException(
            f"{describe_op(op)}: bytes [{offset}, {offset + size}) are outside of @{name} of "
            f"{capacity} bytes"
        )
    base = arena.base.value.data if arena.base is not None else 0
    if (base + offset) % alignment:
        at = f"offset {offset}" if not base else f"address {base + offset} (offset {offset})"
        raise PassFailedException(
            f"{describe_op(op)}: {at} is not a multiple of its alignment {alignment}"
        )
    return Place(name, offset, size, copies)


def _checked_wishes(
    op: Operation, arena: str, offset: int, size: int, alignment: int
) -> tuple[int, int]:
    """Check that a buffer got what it asks for; return the bytes of its copies, and their number.

    Without a stride in the IR, copies lie as close as their alignment allows.
    """
    try:
        wishes, stride = wishes_of(op), written_stride(op)
    except ValueError as error:
        raise PassFailedException(f"{describe_op(op)}: {error}") from error
    if stride is None:
        stride = copy_stride(size, alignment)
    if wishes.copies > 1 and (stride < size or stride % alignment):
        raise PassFailedException(
            f"{describe_op(op)}: its copies of {size} bytes, aligned to {alignment}, are {stride} "
            "bytes apart"
        )
    size = copies_bytes(size, stride, wishes.copies)
    if wishes.candidates and arena not in wishes.candidates:
        raise PassFailedException(
            f"{describe_op(op)}: is in @{arena}, but may only be in {', '.join(wishes.candidates)}"
        )
    if wishes.fixed_offset not in (None, offset):
        raise PassFailedException(
            f"{describe_op(op)}: is at offset {offset}, but fixed at {wishes.fixed_offset}"
        )
    if wishes.offset_range is not None:
        low, high = wishes.offset_range
        if offset < low or offset + size > high:
            raise PassFailedException(
                f"{describe_op(op)}: bytes [{offset}, {offset + size}) are outside of the range "
                f"[{low}, {high}) that it asks for"
            )
    return size, wishes.copies
