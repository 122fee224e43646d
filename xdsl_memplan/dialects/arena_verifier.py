"""What the verifier of an arena checks: that its buffers lie in it, aligned and apart.

A buffer alone cannot be checked: its neighbours are elsewhere. The arena looks at all of its
buffers at once, in one walk of the module and a sweep through the logical time of each function.
What needs more than the attributes, calls and aliases, is checked by the pass `memplan-verify`.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import I64, IntegerAttr, NoneAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl_memplan.dialects.memplan import ArenaOp, BufferOp


def verify_arena(arena: "ArenaOp", buffers: Sequence["BufferOp"]) -> None:
    """Check the numbers of an arena, then the buffers in it; O(b log b) for b buffers.

    Raises:
        VerifyException: naming the buffers by their result and offset.
    """
    capacity, alignment, base, banks, size = (
        _number(attribute)
        for attribute in (arena.capacity, arena.alignment, arena.base, arena.banks, arena.size)
    )
    for name, value, least in (
        ("capacity", capacity, 0),
        ("alignment", alignment, 1),
        ("base", base, 0),
        ("banks", banks, 1),
        ("size", size, 0),
    ):
        if value is not None and value < least:
            raise VerifyException(f"the {name} of an arena is at least {least}, got {value}")
    if banks is not None and banks > 1 and (capacity is None or capacity % banks):
        of = "no capacity" if capacity is None else f"a capacity of {capacity} bytes"
        raise VerifyException(
            f"{banks} banks are equal parts of a capacity, and the arena has {of}"
        )
    if base is not None and alignment is not None and base % alignment:
        raise VerifyException(f"base {base} is not a multiple of alignment {alignment}")
    if size is not None and capacity is not None and size > capacity:
        raise VerifyException(f"size {size} is above the capacity of {capacity} bytes")

    placed: dict[Operation | None, list[BufferOp]] = {}
    for buffer in buffers:
        _verify_in_arena(arena, buffer)
        if buffer.offset is not None and buffer.lifetime is not None:
            placed.setdefault(_function_of(buffer), []).append(buffer)
    for together in placed.values():
        _verify_apart(together)


def _verify_in_arena(arena: "ArenaOp", buffer: "BufferOp") -> None:
    name = describe(buffer)
    space = buffer.memref.type.memory_space
    if space != (NoneAttr() if arena.space is None else arena.space):
        raise VerifyException(
            f"{name} has memory space {_text(space)}, "
            f"its arena @{arena.sym_name.data} has {_text(arena.space)}"
        )
    if buffer.offset is None:
        return
    offset, size = buffer.offset.value.data, buffer.size.value.data
    alignment, base = buffer.alignment.value.data, _number(arena.base)
    if base is not None:
        if (base + offset) % alignment:
            raise VerifyException(
                f"{name}: address {base + offset} (base {base}) is not aligned to {alignment}"
            )
    else:
        aligned_to = _number(arena.alignment)
        if aligned_to is not None and aligned_to % alignment:
            raise VerifyException(
                f"{name}: alignment {alignment} cannot be kept in arena "
                f"@{arena.sym_name.data}, which is only aligned to {aligned_to}"
            )
        if offset % alignment:
            raise VerifyException(f"{name}: the offset is not aligned to {alignment}")
    for limit, bytes in (("size", _number(arena.size)), ("capacity", _number(arena.capacity))):
        if bytes is not None and offset + size > bytes:
            raise VerifyException(
                f"{name} ends at {offset + size}, outside of its arena "
                f"@{arena.sym_name.data} of {limit} {bytes}"
            )


def _verify_apart(buffers: list["BufferOp"]) -> None:
    """Sweep through time, live buffers sorted by offset: a new one can only meet neighbours.

    Buffers without bytes or without a tick conflict with nobody.
    """
    spans = [_Span(buffer, i) for i, buffer in enumerate(buffers)]
    # Ends come before starts at the same tick, as lifetimes are half-open.
    events = sorted(
        event
        for span in spans
        if span.offset < span.end_byte and span.start < span.end
        for event in ((span.start, 1, span.index), (span.end, 0, span.index))
    )
    live: list[tuple[int, int]] = []
    for tick, starts, index in events:
        span = spans[index]
        position = bisect_left(live, (span.offset, index))
        if not starts:
            del live[position]
            continue
        for _, neighbour in live[max(position - 1, 0) : position + 1]:
            other = spans[neighbour]
            if max(span.offset, other.offset) < min(span.end_byte, other.end_byte):
                raise VerifyException(
                    f"{describe(other.buffer)} and {describe(span.buffer)} "
                    f"share bytes and are both live at tick {tick}"
                )
        insort(live, (span.offset, index))


class _Span:
    """A placed buffer as plain numbers."""

    def __init__(self, buffer: "BufferOp", index: int) -> None:
        assert buffer.offset is not None
        assert buffer.lifetime is not None
        self.buffer = buffer
        self.index = index
        self.start, self.end = buffer.lifetime.lifetime
        self.offset = buffer.offset.value.data
        self.end_byte = self.offset + buffer.size.value.data


def describe(buffer: "BufferOp") -> str:
    """A buffer in an error: its name if it has one, bytes, lifetime and offset."""
    hint = buffer.memref.name_hint
    name = f"buffer %{hint}" if hint else "buffer"
    parts = [f"{buffer.size.value.data} bytes"]
    if buffer.lifetime is not None:
        parts.append(f"lifetime [{buffer.lifetime.lifetime.start}, {buffer.lifetime.lifetime.end})")
    if buffer.offset is not None:
        parts.append(f"offset {buffer.offset.value.data}")
    return f"{name} ({', '.join(parts)})"


def _function_of(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


def _number(attribute: IntegerAttr[I64] | None) -> int | None:
    return None if attribute is None else attribute.value.data


def _text(space: Attribute | None) -> str:
    return "none" if space is None or isinstance(space, NoneAttr) else str(space)
