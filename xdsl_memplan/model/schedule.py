"""What a scheduler returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Stay(NamedTuple):
    """One stay of a tensor on chip, over the positions ``[start, end)`` of the order.

    A tuple, as schedules have thousands of them and making one must cost little.
    """

    tensor: int
    start: int
    """Position of the operator that makes it, or that it is loaded for."""
    end: int
    """One past the position of the last operator that uses it during this stay."""
    offset: int
    """Bytes."""
    is_loaded: bool
    """Whether it is read from off-chip memory at the start; otherwise it is made there."""
    is_spilled: bool
    """Whether it is written to off-chip memory at the end."""


@dataclass(frozen=True)
class Schedule:
    """Order, stays and addresses, with what is proved about them. All sizes are bytes."""

    objective: str
    """``peak`` or ``traffic``."""
    order: Sequence[int]
    """Operators in the order in which they run."""
    stays: Sequence[Stay]
    """By start, then tensor."""
    load: int
    """Most bytes on chip at once."""
    peak: int
    """Max of offset + size."""
    traffic: int
    """Bytes moved beyond the first reads of inputs and the writes of outputs."""
    bound: int
    """The best lower bound that is proved, of `peak` or `traffic` as `objective` says."""
    stop: str
    """Why it stopped: optimal, complete, work-limit, memory-limit, time-limit, cancelled."""
    statistics: Mapping[str, int]
    parts: Sequence[Sequence[int]] = ()
    """Sets of operators, none in two of them, whose bounds add up to a bound of `traffic`. Empty
    where the search of the whole says more."""

    @property
    def value(self) -> int:
        """What was minimised."""
        return self.peak if self.objective == "peak" else self.traffic

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no schedule is better."""
        return self.value == self.bound
