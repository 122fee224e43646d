"""Replacement and addresses of least off-chip traffic in a given order."""

from collections.abc import Sequence

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings, search


def schedule_in_order(
    graph: Graph, order: Sequence[int], capacity: int, settings: SearchSettings | None = None
) -> Schedule:
    """Find evictions and addresses that move the fewest bytes in ``order`` (COSMA III-E2).

    ``capacity`` is bytes, ``order`` lists every operator once. Exact, as `schedule_for_traffic`.

    Raises InvalidGraphError if ``order`` is not an order of the graph, or an operator does not fit.
    """
    return search(graph, capacity, order, settings or SearchSettings())
