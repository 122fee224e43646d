"""Traffic against capacity: the curve from M_R to M_P."""

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.traffic import schedule_for_traffic


def pareto_curve(
    graph: Graph, points: int = 20, settings: SearchSettings | None = None
) -> list[tuple[int, Schedule]]:
    """Schedule at ``points`` capacities spread evenly from M_R to M_P; pairs of bytes and schedule.

    Fewer points where M_R and M_P are closer than that. A schedule of a smaller capacity is kept
    where a larger one brings nothing; bounds hold for each point on its own.

    Raises InvalidGraphError, ValueError for less than one point.
    """
    if points < 1:
        raise ValueError(f"a curve needs at least one point, not {points}")
    budgets = budgets_of(graph, settings)
    least, most = budgets.largest_operator, max(budgets.largest_operator, budgets.least_peak)
    steps = max(points - 1, 1)
    capacities = sorted({least + (most - least) * i // steps for i in range(points)})
    return [(capacity, schedule_for_traffic(graph, capacity, settings)) for capacity in capacities]
