"""Planners in Python: an embedder's own function, under a name, wherever planners go by name.

    from xdsl_memplan.planners.embedded import register_planner

    @register_planner("bump", summary="one buffer behind the other", fixed_offsets=False)
    def bump(problem: Problem) -> list[int]:
        ...

A package that has planners names them as entry points, so that commands and `xdsl-opt` find them:

    [project.entry-points."xdsl_memplan.planners"]
    bump = "my_package.planning"            # importing this registers `bump`
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from xdsl_memplan.model.integers import Int64Array, int64_array
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.errors import InvalidOptionError, InvalidPlanError, UnsupportedError
from xdsl_memplan.planners.registry import PlannerInfo, core_planners

GROUP = "xdsl_memplan.planners"
"""Group of entry points."""

PlannerFunction = Callable[[Problem], "Sequence[int] | Int64Array"]
"""Offsets in bytes, one per buffer, each from the base address of the only pool."""


@dataclass(frozen=True)
class EmbeddedPlanner:
    """A function with what is told about it."""

    info: PlannerInfo
    function: PlannerFunction

    def offsets(self, problem: Problem) -> Int64Array:
        """Call the function.

        Returns offsets in bytes, shape (n,); they are not checked. Raises UnsupportedError for what
        the function did not say it knows, InvalidPlanError for what are no offsets.
        """
        name, info = self.info.name, self.info
        alignments = problem.alignments
        for used, known, what in (
            (alignments is not None and (alignments > 1).any(), info.alignment, "alignments"),
            (bool(problem.fixed), info.fixed_offsets, "fixed offsets"),
            (bool(problem.gaps), info.gaps, "gaps in lifetimes"),
            (problem.conflict_pairs is not None, info.conflicts, "conflicts besides lifetimes"),
            (len(problem.pools) > 1, False, "several pools"),
        ):
            if used and not known:
                raise UnsupportedError(f"planner {name} does not know {what}")
        try:
            offsets = int64_array(self.function(problem), "offsets")
        except (TypeError, ValueError) as error:
            raise InvalidPlanError(f"planner {name}: {error}") from error
        if len(offsets) != len(problem):
            raise InvalidPlanError(
                f"planner {name}: {len(offsets)} offsets for {len(problem)} buffers"
            )
        return np.ascontiguousarray(offsets)


_REGISTERED: dict[str, EmbeddedPlanner] = {}


def register_planner(
    name: str,
    *,
    summary: str = "",
    origin: str = "registered",
    alignment: bool = True,
    fixed_offsets: bool = True,
    gaps: bool = False,
    conflicts: bool = False,
) -> Callable[[PlannerFunction], PlannerFunction]:
    """Register the decorated function as a planner for passes, commands and the benchmark.

    The flags say what of a `Problem` it honours; it is not asked about others. Every plan that it
    makes is checked. Raises InvalidOptionError for a name that a planner has already.
    """

    def register(function: PlannerFunction) -> PlannerFunction:
        if not name or name in _REGISTERED or any(p.name == name for p in core_planners()):
            raise InvalidOptionError(f"there is a planner {name!r} already, or it is no name")
        info = PlannerInfo(
            name, origin, summary, alignment, fixed_offsets, gaps, conflicts, pools=False
        )
        _REGISTERED[name] = EmbeddedPlanner(info, function)
        return function

    return register


def unregister_planner(name: str) -> None:
    """Forget a registered planner; nothing happens if there is none of this name."""
    _REGISTERED.pop(name, None)


def find_planner(name: str) -> EmbeddedPlanner | None:
    """Return the registered planner of this name, entry points included; None for all others."""
    if name not in _REGISTERED and not any(p.name == name for p in core_planners()):
        _load_entry_points()
    return _REGISTERED.get(name)


def embedded_planners() -> list[PlannerInfo]:
    """List what is registered, entry points included, in the order of registration."""
    _load_entry_points()
    return [planner.info for planner in _REGISTERED.values()]


@cache
def _load_entry_points() -> None:
    from importlib.metadata import entry_points  # Loads the parser of e-mails.

    for entry in entry_points(group=GROUP):
        entry.load()
