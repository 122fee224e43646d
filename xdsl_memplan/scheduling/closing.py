"""Where the bound of capacity alone has no addresses: COSMA's program, told what is known."""

from dataclasses import replace

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.oracle import OracleSettings, solve_exactly


def close_gap(
    graph: Graph, capacity: int, schedule: Schedule, time_limit_seconds: float = 60.0
) -> Schedule:
    """Search order, replacement and addresses jointly between bound and value of a schedule.

    The program of `oracle` is told both, in bytes; what it proves raises the bound, what it finds
    replaces the schedule. Small graphs only: it has O(tensors · operators) variables.
    """
    if schedule.optimal or schedule.objective != "traffic":
        return schedule
    settings = OracleSettings(time_limit_seconds, at_least=schedule.bound, at_most=schedule.traffic)
    answer = solve_exactly(graph, capacity, settings)
    bound = min(answer.bound, schedule.traffic)
    best = schedule
    if answer.schedule is not None and answer.schedule.traffic < schedule.traffic:
        best = answer.schedule
    stop = "optimal" if best.traffic == bound else "time-limit"
    return replace(best, bound=bound, stop=stop, statistics=schedule.statistics)
