"""Pinned buffers: offsets and ranges that are asked for must be possible, alone and together."""

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, ReservedRange


def check_pins(
    buffers: Sequence[PlannedBuffer], memory: Memory, reserved: Sequence[ReservedRange]
) -> None:
    """Check what the buffers of one function ask for in ``memory``; pairs of fixed ones at worst.

    Raises PassFailedException with the buffers for an offset that is misaligned or beyond the
    capacity, a range that is too small, and two fixed buffers that share bytes while both live.
    """
    taken: list[PlannedBuffer | ReservedRange] = list(reserved)
    for buffer in buffers:
        if buffer.offset_range is not None:
            _check_range(buffer, memory, *buffer.offset_range)
        if buffer.fixed_offset is None:
            continue
        _check_offset(buffer, memory, buffer.fixed_offset)
        for other in taken:
            if _share(buffer, other):
                raise PassFailedException(
                    f"{describe_op(buffer.op)}: is fixed at {_bytes(buffer)} of memory "
                    f"'{memory.name}', where {describe_op(other.op)} has {_bytes(other)}, and both "
                    f"live at tick {max(buffer.lifetime.start, other.lifetime.start)}"
                )
        taken.append(buffer)


def _check_offset(buffer: PlannedBuffer, memory: Memory, offset: int) -> None:
    if memory.capacity is not None and offset + buffer.size > memory.capacity:
        raise PassFailedException(
            f"{describe_op(buffer.op)}: is fixed at {_bytes(buffer)}, outside of memory "
            f"'{memory.name}' of {memory.capacity} bytes"
        )
    base = memory.base or 0
    if (base + offset) % buffer.alignment:
        at = f"offset {offset}" if not base else f"address {base + offset} (offset {offset})"
        raise PassFailedException(
            f"{describe_op(buffer.op)}: is fixed at {at}, not a multiple of its alignment "
            f"{buffer.alignment}"
        )


def _check_range(buffer: PlannedBuffer, memory: Memory, low: int, high: int) -> None:
    base = memory.base or 0
    first = low + -(base + low) % buffer.alignment
    high = high if memory.capacity is None else min(high, memory.capacity)
    if first + buffer.size > high:
        raise PassFailedException(
            f"{describe_op(buffer.op)}: its {buffer.size} bytes, aligned to {buffer.alignment}, do "
            f"not fit into the range [{low}, {high}) of memory '{memory.name}'"
        )


def _share(a: PlannedBuffer, b: PlannedBuffer | ReservedRange) -> bool:
    return a.lifetime.overlaps(b.lifetime) and max(_offset(a), _offset(b)) < min(
        _offset(a) + a.size, _offset(b) + b.size
    )


def _offset(entry: PlannedBuffer | ReservedRange) -> int:
    offset = entry.fixed_offset if isinstance(entry, PlannedBuffer) else entry.offset
    assert offset is not None
    return offset


def _bytes(entry: PlannedBuffer | ReservedRange) -> str:
    return f"bytes [{_offset(entry)}, {_offset(entry) + entry.size})"
