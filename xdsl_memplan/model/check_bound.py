"""How much of a schedule's bound can be proved again, by searches that share no code with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl_memplan.model.bound_search import least_moved
from xdsl_memplan.model.check_schedule import ScheduleError
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.peak_search import least_peak_of
from xdsl_memplan.model.schedule import Schedule

DEFAULT_MAX_STATES = 20_000


@dataclass(frozen=True)
class BoundCheck:
    """What was proved again of a bound."""

    claimed: int
    """Bytes: the bound of the schedule."""
    proved: int
    """Bytes, at most `claimed`: what the checker proved. What is above has to be believed."""
    states: int
    """States that the checker expanded."""

    @property
    def verified(self) -> bool:
        """Whether all of the bound was proved again."""
        return self.proved == self.claimed

    def require(self) -> None:
        """Raise ScheduleError unless all of the bound was proved again."""
        if not self.verified:
            raise ScheduleError(
                f"of the bound {self.claimed} only {self.proved} was proved again, "
                f"with {self.states} states"
            )


def check_bound(
    graph: Graph,
    schedule: Schedule,
    capacity: int | None = None,
    max_states: int = DEFAULT_MAX_STATES,
    order: Sequence[int] | None = None,
    *,
    addresses: bool = False,
) -> BoundCheck:
    """Prove the bound of a schedule again, as far as ``max_states`` for each search go.

    What it stands on is searched anew: the whole graph, then the parts that the schedule names,
    whose bounds add up. With ``order`` the bound is taken to hold for that order only. The searches
    know no addresses. With ``addresses`` the bound may stand on packings that were refuted, which
    are not checked again: where capacity (bytes) alone demands less, that is all that is proved.
    Exponential at worst, within ``max_states``.

    Raises ScheduleError if the bound is wrong: above what the schedule attains, or, without
    ``addresses``, above what the checker found to be enough; or if parts share operators.
    """
    claimed = schedule.bound
    if claimed == 0 or not graph.operators:
        return BoundCheck(claimed, claimed, 0)
    if schedule.objective == "peak":
        if claimed <= graph.largest_footprint:
            return BoundCheck(claimed, claimed, 0)
        found = least_peak_of(graph, max_states)
    elif capacity is None:
        raise ScheduleError("a bound of traffic holds under a capacity: which?")
    else:
        found = least_moved(graph, range(len(graph.operators)), capacity, max_states, order)
    if claimed > schedule.value:
        raise ScheduleError(f"the bound is {claimed}, but {schedule.value} is enough")
    if found.is_least and found.bytes < claimed and not addresses:
        raise ScheduleError(f"the bound is {claimed}, but {found.bytes} is enough")
    proved, states = found.bytes, found.states
    if proved < claimed and capacity is not None:
        _check_disjoint(graph, schedule)
        parts = [least_moved(graph, part, capacity, max_states, order) for part in schedule.parts]
        proved = max(proved, sum(part.bytes for part in parts))
        states += sum(part.states for part in parts)
    return BoundCheck(claimed, min(proved, claimed), states)


def _check_disjoint(graph: Graph, schedule: Schedule) -> None:
    listed = [op for part in schedule.parts for op in part]
    if len(set(listed)) < len(listed) or not set(listed).issubset(range(len(graph.operators))):
        raise ScheduleError("the parts of a bound share operators, or name some that do not exist")
