"""What calls take of a memory: `docs/decisions/0001`.

All functions count offsets from the start of the same arenas. While a call runs, the callee and
all that it calls own ``[0, peak of the callee)``. Memory that it returns stays taken until the
caller is done with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.loop_reuse import LoopReuse
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.planned_buffers import ReservedRange
from xdsl_memplan.model.lifetime import Lifetime


@dataclass(frozen=True)
class PlacedRange:
    """Bytes of a memory that a function returns."""

    memory: str
    offset: int
    size: int


@dataclass
class PlacedFunction:
    """What callers have to know of a function that is planned; sizes in bytes."""

    peaks: dict[str, int] = field(default_factory=dict[str, int])
    """Peak by name of the memory."""
    returned: list[list[PlacedRange]] = field(default_factory=list[list[PlacedRange]])
    """Per result, the memory it may be."""


def placed_function(
    lifetimes: FunctionLifetimes,
    places: Mapping[SSAValue, tuple[str, int, int]],
    peaks: dict[str, int],
    callees: Mapping[str, PlacedFunction],
) -> PlacedFunction:
    """Sum up a function whose storage has places: (memory, offset, size), in bytes."""
    placed = {value: [PlacedRange(*place)] for value, place in places.items()}
    last = lifetimes.function.body.blocks[-1].last_op
    returned: list[list[PlacedRange]] = []
    for value in last.operands if last is not None else ():
        ranges: list[PlacedRange] = []
        for root in lifetimes.aliases.roots(value):
            ranges += placed.get(root, ()) or _returned_by_call(root, callees)
        returned.append(ranges)
    return PlacedFunction(peaks, returned)


def reserved_ranges(
    lifetimes: FunctionLifetimes, memory: Memory, callees: Mapping[str, PlacedFunction]
) -> list[ReservedRange]:
    """Collect what the calls of a function take of ``memory``, in the order of the file.

    Raises PassFailedException where one call overwrites what an earlier one returned.
    """
    reuse = LoopReuse(lifetimes)
    running: list[ReservedRange] = []
    returned: list[ReservedRange] = []
    for call, tick in lifetimes.time.ticks.items():
        callee = callees.get(call.callee.string_value()) if isinstance(call, CallOp) else None
        if callee is None:
            continue
        if peak := callee.peaks.get(memory.name):
            running.append(ReservedRange(call, 0, peak, Lifetime(tick, tick + 1)))
        # Several results may be the same bytes: they are taken once, until the last one is done.
        ends: dict[PlacedRange, int] = {}
        for result, ranges in zip(call.results, callee.returned, strict=True):
            needed = lifetimes.needed(result)
            for place in ranges:
                # During the call itself these bytes are part of what the callee owns.
                if place.memory != memory.name or needed is None:
                    continue
                if reuse.clashes(result):
                    raise _overwritten(call, call)
                if needed.end <= tick + 1:
                    continue
                if needed.start < tick:
                    raise _overwritten(call, call)
                ends[place] = max(needed.end, ends.get(place, 0))
        for place, end in ends.items():
            after = Lifetime(tick + 1, end)
            returned.append(ReservedRange(call, place.offset, place.size, after))
    for kept in returned:
        for other in [*running, *returned]:
            if other.op is not kept.op and _clash(kept, other):
                raise _overwritten(kept.op, other.op)
    return running + returned


def _returned_by_call(root: SSAValue, callees: Mapping[str, PlacedFunction]) -> list[PlacedRange]:
    if not isinstance(root, OpResult) or not isinstance(root.op, CallOp):
        return []
    callee = callees.get(root.op.callee.string_value())
    return callee.returned[root.index] if callee is not None else []


def _clash(a: ReservedRange, b: ReservedRange) -> bool:
    return a.lifetime.overlaps(b.lifetime) and max(a.offset, b.offset) < min(
        a.offset + a.size, b.offset + b.size
    )


def _overwritten(call: Operation, other: Operation) -> PassFailedException:
    again = "it is called again" if other is call else f"{describe_op(other)} overwrites it"
    return PassFailedException(
        f"{describe_op(call)}: the memory it returns is still needed when {again}; "
        "copy it to a buffer of the caller first"
    )
