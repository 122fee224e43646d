"""Order, replacement and addresses of least off-chip traffic."""

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings, search


def schedule_for_traffic(
    graph: Graph, capacity: int, settings: SearchSettings | None = None
) -> Schedule:
    """Find order, evictions and addresses that move the fewest bytes (COSMA III-B to III-D).

    ``capacity`` is bytes. Exact A* over what has run, what is on chip and what of it has a copy off
    chip; addresses are then found for its result, or the search goes on. `Schedule.bound` is of the
    traffic. There is always a schedule, that of a replacement rule at worst.

    Raises InvalidGraphError, which names the operator that does not fit the capacity.
    """
    return search(graph, capacity, None, settings or SearchSettings())
