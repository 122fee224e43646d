"""Numbers that advance evenly between two ends, at which they stay."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class ClampedLine(NamedTuple):
    """`min(max(first + step * tile, low), high)`."""

    first: int
    step: int
    low: int
    high: int

    @classmethod
    def of(cls, numbers: Sequence[int]) -> "ClampedLine | None":
        """The line through numbers, one per tile; None if they are none. Linear."""
        low, high = numbers[0], numbers[-1]
        steps = [after - before for before, after in pairwise(numbers)]
        step = max(steps, default=0)
        at = steps.index(step) if steps else 0
        line = cls(numbers[at] - at * step, step, low, high)
        return (
            line
            if low <= high and all(map(line.goes_through, range(len(numbers)), numbers))
            else None
        )

    def goes_through(self, tile: int, number: int) -> bool:
        """Whether a number is the one of a tile."""
        return number == min(max(self.first + self.step * tile, self.low), self.high)
