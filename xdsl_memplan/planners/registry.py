"""The registry of planners."""

from dataclasses import dataclass

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
    """List all planners in the order of the registry."""
    return [
        PlannerInfo(name, origin, summary, *features)
        for name, origin, summary, features in _idealloc.planners()
    ]
