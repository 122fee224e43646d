"""The order of least peak, nothing moved off chip."""

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings, search


def schedule_for_peak(graph: Graph, settings: SearchSettings | None = None) -> Schedule:
    """Find the order with the fewest bytes on chip at the worst moment (COSMA's MPMF, III-E1).

    Exact: best first over the sets of operators that can have run. `Schedule.bound` is of the peak;
    exponential in the width of the graph at worst, within `SearchSettings.max_states`.

    Raises InvalidGraphError.
    """
    return search(graph, None, None, settings or SearchSettings())
