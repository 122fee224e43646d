"""The registry of planners."""

from dataclasses import dataclass
from functools import cache

from xdsl_memplan import _idealloc


@dataclass(frozen=True)
class PlannerInfo:
    """A planner as it is listed to people: its name, where it comes from, what it can honour."""

    name: str
    origin: str
    summary: str
    alignment: bool
    fixed_offsets: bool
    gaps: bool
    conflicts: bool
    pools: bool


def planners() -> list[PlannerInfo]:
    """List all planners: those of the core in their order, then those that embedders registered."""
    from xdsl_memplan.planners.embedded import embedded_planners

    return [*core_planners(), *embedded_planners()]


@cache
def core_planners() -> tuple[PlannerInfo, ...]:
    """List the planners of the Rust core."""
    return tuple(
        PlannerInfo(name, origin, summary, *features)
        for name, origin, summary, features in _idealloc.planners()
    )
