"""Copies of a buffer that the iterations of a loop take in turn, as `memplan-verify` sees them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl_memplan.transforms.abstract_execution import Instance


@dataclass
class CopyTurns:
    """Notes which iteration made which storage, and which loops have to be lived through.

    All iterations together hold room for the copies as long as their innermost loop runs. Each
    makes an instance; instances of as many iterations as there are copies may be in use at once.
    """

    _now: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Of every loop that runs: its number, counted in the trace, and its iteration."""
    _runs: int = 0
    _made: dict["Instance", tuple[int, int]] = field(
        default_factory=dict["Instance", tuple[int, int]]
    )
    _rooms: list[tuple["Instance", int, int, int, int]] = field(
        default_factory=list[tuple["Instance", int, int, int, int]]
    )

    def enter(self) -> None:
        """Begin to run a loop."""
        self._now.append((self._runs, 0))
        self._runs += 1

    def next_iteration(self) -> None:
        """Begin the next iteration of the innermost loop."""
        run, iteration = self._now[-1]
        self._now[-1] = (run, iteration + 1)

    def made(self, instance: "Instance") -> None:
        """Note storage that is made now."""
        if self._now and instance.place is not None and instance.place.copies > 1:
            self._made[instance] = self._now[-1]

    def any_made(self) -> bool:
        """Tell whether there are copies at all."""
        return bool(self._made)

    def leave(self, steps: tuple[int, int], ticks: tuple[int, int]) -> None:
        """End a loop that took these steps of the trace and ticks, both inclusive."""
        run, _ = self._now.pop()
        for instance, (made_in, _) in self._made.items():
            if made_in == run:
                self._rooms.append((instance, *steps, *ticks))

    def clash(self) -> "tuple[Instance, Instance] | None":
        """Return two pieces of storage that are in use at once and have the same copy."""
        by_operation: dict[int, list[Instance]] = {}
        for instance in self._made:
            if instance.first is not None:
                by_operation.setdefault(id(instance.op), []).append(instance)
        for instances in by_operation.values():
            for a, b in combinations(instances, 2):
                if self._same_copy(a, b) and _together(a, b):
                    return a, b
        return None

    def live_through(self) -> None:
        """Extend what is in use to the loop whose iterations take turns."""
        for instance, first, last, first_tick, last_tick in self._rooms:
            if instance.first is not None and first <= last:
                instance.touch(first, first_tick)
                instance.touch(last, last_tick)
                instance.first = min(instance.first, first)

    def _same_copy(self, a: "Instance", b: "Instance") -> bool:
        """Copies begin anew with every run of the loop, at one that is not known."""
        (run, iteration), (other_run, other_iteration) = self._made[a], self._made[b]
        assert a.place is not None
        return run != other_run or abs(iteration - other_iteration) >= a.place.copies


def _together(a: "Instance", b: "Instance") -> bool:
    assert a.first is not None
    assert b.first is not None
    return max(a.first, b.first) <= min(a.last, b.last)


def ticks_inside(ticks: Sequence[int]) -> tuple[int, int]:
    """Return the first and the last of some ticks; an empty range where there are none."""
    return (min(ticks), max(ticks)) if ticks else (0, -1)
