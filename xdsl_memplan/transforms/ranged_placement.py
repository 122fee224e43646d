"""Offsets for buffers that must lie in a range of a memory: planners know fixed offsets only.

Those with a range are placed before all others, by a search of its own, and then count as fixed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, ReservedRange
from xdsl_memplan.model.lifetime import Lifetime

MAX_STEPS = 20_000
"""Placements that are tried."""


@dataclass(frozen=True)
class _Taken:
    """Bytes ``[low, high)`` that are taken for some ticks."""

    low: int
    high: int
    lifetime: Lifetime


def place_ranges(
    buffers: Sequence[PlannedBuffer],
    ranges: Mapping[int, tuple[int, int]],
    reserved: Sequence[ReservedRange],
    base: int,
) -> dict[int, int] | None:
    """Return an offset in its range for each buffer that has one, by position in ``buffers``.

    Offsets and half-open ranges are bytes from the address ``base``, where alignment counts. What
    is fixed or reserved is kept clear. Depth first, large buffers first; each is tried at the
    lowest offset and behind every neighbour.

    Returns:
        None if there is no such placement, or none was found in `MAX_STEPS` steps.
    """
    taken = [
        _Taken(b.fixed_offset, b.fixed_offset + b.size, b.lifetime)
        for b in buffers
        if b.fixed_offset is not None
    ]
    taken += [_Taken(r.offset, r.offset + r.size, r.lifetime) for r in reserved]
    order = sorted(ranges, key=lambda i: (-buffers[i].size, ranges[i], i))
    search = _Search(buffers, ranges, order, base, taken)
    return search.offsets if search.place() else None


class _Search:
    def __init__(
        self,
        buffers: Sequence[PlannedBuffer],
        ranges: Mapping[int, tuple[int, int]],
        order: Sequence[int],
        base: int,
        taken: list[_Taken],
    ) -> None:
        self.buffers = buffers
        self.ranges = ranges
        self.order = order
        self.base = base
        self.taken = taken
        self.offsets: dict[int, int] = {}
        self.steps = 0

    def place(self) -> bool:
        # One level for each buffer; the stack holds the offsets that are still to be tried.
        stack = [iter(self.places(self.order[0]))] if self.order else []
        while stack:
            index = self.order[len(stack) - 1]
            if index in self.offsets:
                del self.offsets[index]
                self.taken.pop()
            offset = next(stack[-1], None)
            self.steps += 1
            if offset is None or self.steps > MAX_STEPS:
                stack.pop()
                continue
            buffer = self.buffers[index]
            self.offsets[index] = offset
            self.taken.append(_Taken(offset, offset + buffer.size, buffer.lifetime))
            if len(stack) == len(self.order):
                return True
            stack.append(iter(self.places(self.order[len(stack)])))
        return not self.order

    def places(self, index: int) -> list[int]:
        """Offsets that are free: the lowest, and behind each of those that are in the way."""
        buffer, (low, high) = self.buffers[index], self.ranges[index]
        near = [t for t in self.taken if t.lifetime.overlaps(buffer.lifetime)]
        found: list[int] = []
        for start in sorted({low, *(t.high for t in near if low < t.high < high)}):
            offset = start + -(self.base + start) % buffer.alignment
            end = offset + buffer.size
            if end <= high and not any(max(offset, t.low) < min(end, t.high) for t in near):
                found.append(offset)
        return found
