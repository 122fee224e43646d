"""Half-open lifetimes on logical time."""

from typing import NamedTuple


class Lifetime(NamedTuple):
    """The ticks ``[start, end)`` at which a buffer holds something that is still needed."""

    start: int
    end: int

    def overlaps(self, other: "Lifetime") -> bool:
        """Tell whether both hold a common tick; lifetimes that only touch do not overlap."""
        return max(self.start, other.start) < min(self.end, other.end)
