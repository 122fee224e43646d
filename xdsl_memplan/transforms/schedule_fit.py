"""The order of least peak, and spills only where a function does not fit the capacity then."""

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.transforms.bufferize.handover import keep
from xdsl_memplan.transforms.schedule_peak import arena_bytes, schedule_for_least_peak
from xdsl_memplan.transforms.schedule_traffic import schedule_for_least_traffic


def schedule_to_fit(
    graph: OperatorGraph,
    on_chip: Memory,
    off_chip: str | None,
    keep_order: bool,
    max_states: int,
    reserve: int = 0,
) -> None:
    """Reorder a function for the least peak; where that exceeds the capacity, spill.

    Without a capacity, or without a second memory to spill to, only the order changes.

    Raises PassFailedException for an operation that does not fit.
    """
    if not keep_order:
        schedule_for_least_peak(graph, max_states)
    if on_chip.capacity is None or off_chip is None:
        return
    function = graph.function
    needed = arena_bytes(function, on_chip, graph.sharing)
    if needed is not None and needed > on_chip.capacity - reserve:
        keep(function, None)
        schedule_for_least_traffic(function, on_chip, off_chip, keep_order, max_states, reserve)
