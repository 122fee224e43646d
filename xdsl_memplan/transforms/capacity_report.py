"""The message for a memory that is too small."""

from collections.abc import Sequence

import numpy as np
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op, symbol_name
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, ReservedRange
from xdsl_memplan.dialects.groups import SPLIT
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Int64Array


class CapacityExceeded(PassFailedException):
    """A memory is too small for what was to be placed in it."""

    def __init__(self, report: str, excess_bytes: int) -> None:
        super().__init__(report)
        self.excess_bytes = excess_bytes
        """Bytes that are missing."""


SHOWN = 8
"""How many buffers are listed."""


def capacity_report(
    lifetimes: FunctionLifetimes,
    memory: Memory,
    entries: Sequence[PlannedBuffer | ReservedRange],
    plan: Plan,
    *,
    others: bool = True,
) -> str:
    """Say what is required, available and missing, at which tick, and which buffers live then.

    ``plan`` holds the offsets of ``entries``. The tick is the first at which the plan reaches its
    peak; the buffers of that tick are listed largest first, with their places. Where only buffers
    that nothing touches reach the peak, these are listed. ``others`` says whether there is a memory
    besides. Sizes are bytes. n log n.
    """
    assert memory.capacity is not None
    ends = plan.offsets + np.array([entry.size for entry in entries], dtype=np.int64)
    highest = [e for e, end in zip(entries, ends, strict=True) if end == plan.peak and e.size]
    touched = [e.lifetime for e in highest if e.lifetime.start < e.lifetime.end]
    if touched:
        tick = _fullest_tick(entries, touched)
        listed = [e for e in entries if e.lifetime.start <= tick < e.lifetime.end and e.size]
        where = f"at tick {tick}, {sum(e.size for e in listed)} bytes are live in {len(listed)}"
        where += f" buffers{_rounded(listed)}:"
    else:
        listed, where = highest, "no operation reads or writes what ends highest:"
    listed.sort(key=lambda entry: -entry.size)
    lines = [
        f"memory '{memory.name}' is too small for @{symbol_name(lifetimes.function)}: "
        f"{'required' if plan.optimal else 'the best plan found takes'} {plan.peak} bytes, "
        f"available {memory.capacity}, "
        f"excess {plan.peak - memory.capacity}"
    ]
    if plan.bound > memory.capacity:
        lines.append(f"no assignment of offsets needs less than {plan.bound} bytes")
    lines.append(where)
    for entry in listed[:SHOWN]:
        start, end = entry.lifetime
        lines.append(f"  {entry.size} bytes, live [{start}, {end}): {describe_op(entry.op)}")
    if len(listed) > SHOWN:
        rest = sum(entry.size for entry in listed[SHOWN:])
        lines.append(f"  and {len(listed) - SHOWN} more of {rest} bytes together")
    if touched and SPLIT not in lifetimes.function.attributes:
        second = f'a second memory to spill to (memory="{memory.name}=...,DDR"), or '
        tiles = "operations in tiles (memplan-pipeline{split=auto})"
        lines.append(f"what may help: {'' if others else second}{tiles}")
    return "\n".join(lines)


def _rounded(live: Sequence[PlannedBuffer | ReservedRange]) -> str:
    """Explain why buffers take more than their bytes: each begins at a multiple of something."""
    alignments = {b.alignment for b in live if isinstance(b, PlannedBuffer)}
    if all(entry.size % max(alignments, default=1) == 0 for entry in live):
        return ""
    listed = " or ".join(map(str, sorted(alignments)))
    return f", each of which begins at a multiple of {listed}"


def _fullest_tick(
    entries: Sequence[PlannedBuffer | ReservedRange], within: Sequence[Lifetime]
) -> int:
    """Return the first tick of most bytes live inside of any of the lifetimes."""
    sizes = np.array([entry.size for entry in entries], dtype=np.int64)
    starts = np.array([entry.lifetime.start for entry in entries], dtype=np.int64)
    ends = np.array([entry.lifetime.end for entry in entries], dtype=np.int64)

    def bytes_before(times: Int64Array, ticks: Int64Array) -> Int64Array:
        order = np.argsort(times, kind="stable")
        sums = np.concatenate([[0], np.cumsum(sizes[order])])
        return sums[np.searchsorted(times[order], ticks, side="right")]

    # The bytes live only grow where a lifetime starts.
    ticks = np.unique(starts)
    inside = [(ticks >= life.start) & (ticks < life.end) for life in within]
    ticks = ticks[np.logical_or.reduce(inside)]
    return int(ticks[np.argmax(bytes_before(starts, ticks) - bytes_before(ends, ticks))])
