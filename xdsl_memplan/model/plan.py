"""What a planner returns."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl_memplan.model.problem import Int64Array


@dataclass(frozen=True, eq=False)
class Plan:
    """Offsets for every buffer of a problem, with how good they are. All sizes are bytes."""

    planner: str
    offsets: Int64Array
    """Offset from the base address of the buffer's pool, shape (n,)."""
    pools: Int64Array | None
    """Pool of each buffer, shape (n,); None if there is one pool."""
    peak: int
    """Max of offset + size."""
    load: int
    """Max over ticks of the bytes live."""
    bound: int
    """The best lower bound of the peak that is proved."""
    stop: str
    """Why it stopped: optimal, fits, infeasible, complete, work-limit, time-limit, cancelled."""
    statistics: Mapping[str, int]

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no plan has a smaller peak."""
        return self.peak == self.bound

    @property
    def fragmentation(self) -> float:
        """Peak over load, less one; 0 for an empty problem."""
        return self.peak / self.load - 1 if self.load else 0.0
