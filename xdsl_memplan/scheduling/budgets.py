"""The capacities at which COSMA compares: M_R, M_H and M_P."""

from dataclasses import dataclass

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.peak import schedule_for_peak


@dataclass(frozen=True)
class Budgets:
    """Three capacities in bytes (COSMA V-A)."""

    largest_operator: int
    """M_R: below it some operator cannot run."""
    least_peak: int
    """M_P: from it on nothing need be moved."""

    @property
    def mean(self) -> int:
        """M_H: half way between, rounded down."""
        return (self.largest_operator + self.least_peak) // 2

    def by_name(self) -> dict[str, int]:
        """Return them by the paper's names."""
        return {"M_R": self.largest_operator, "M_H": self.mean, "M_P": self.least_peak}


def budgets_of(graph: Graph, settings: SearchSettings | None = None) -> Budgets:
    """Compute the budgets of a graph.

    Raises InvalidGraphError.
    """
    least_peak = schedule_for_peak(graph, settings).bound
    return Budgets(graph.largest_footprint, least_peak)
