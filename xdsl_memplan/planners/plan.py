"""Run a planner on a problem: one of the Rust core, or one that an embedder registered."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

import numpy as np

from xdsl_memplan import _idealloc
from xdsl_memplan.model.integers import Int64Array, checked_integer
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.embedded import EmbeddedPlanner, find_planner
from xdsl_memplan.planners.errors import InvalidOptionError

Effort = Literal["low", "medium", "high", "max"]

DEFAULT_PLANNER = "auto"

MOST_THREADS = 2**16 - 1
"""More are an error, not a wish."""

BOUNDED_BY = "first-fit-by-size"
"""The planner that says load and bound for those that do not."""


def plan(
    problem: Problem,
    *,
    planner: str = DEFAULT_PLANNER,
    seed: int = 0,
    effort: Effort = "medium",
    threads: int = 1,
    time_limit_seconds: float | None = None,
    minimize: bool = True,
    parameters: Mapping[str, str] | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> Plan:
    """Assign an offset to every buffer of ``problem``.

    ``progress(incumbent_bytes, bound_bytes, work)`` is called about fifty times a second; what it
    raises, and Ctrl-C, stops the planner and is raised here within a tenth of a second. The GIL is
    released. Same problem, options and seed give the same plan for any number of threads, unless a
    time limit cut it short, which ``Plan.stop`` then says.

    With a capacity and ``minimize=False`` it stops as soon as a plan fits, or at once where the
    bound shows that none does. With ``minimize=True`` the capacity only guides the search.

    Raises `xdsl_memplan.planners.errors.PlanningError` and its subclasses: TimeLimitError if the
    time limit was reached before there was any plan. A registered planner (`embedded`) is called as
    it is, without seed, effort, threads or limit; it raises InvalidPlanError for a plan that breaks
    a rule.
    """
    if (embedded := find_planner(planner)) is not None:
        return _run_embedded(embedded, problem)
    offsets = np.empty(len(problem), dtype=np.int64)
    pools = np.zeros(len(problem), dtype=np.int64) if len(problem.pools) > 1 else None
    for name, value in (parameters or {}).items():
        if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidOptionError(f"parameter {name} is {value!r}, not a string")
    limit = cast(object, time_limit_seconds)
    if limit is not None and not isinstance(limit, int | float):
        raise InvalidOptionError(f"time limit {time_limit_seconds!r} is not a number of seconds")
    peak, load, bound, stop, statistics = _idealloc.plan(
        as_core_problem(problem),
        offsets,
        pools,
        planner=planner,
        seed=_unsigned(seed, "seed", 2**64 - 1),
        effort=effort,
        threads=_unsigned(threads, "threads", MOST_THREADS),
        time_limit_seconds=time_limit_seconds,
        minimize=minimize,
        parameters=dict(parameters or {}),
        progress=progress,
    )
    return Plan(planner, offsets, pools, peak, load, bound, stop, dict(statistics))


def _run_embedded(embedded: EmbeddedPlanner, problem: Problem) -> Plan:
    """Call a planner in Python, check what it returns, and bound it as the core does."""
    offsets = embedded.offsets(problem)
    peak = _idealloc.check(as_core_problem(problem.with_capacity(None)), offsets, None)
    reference = plan(problem, planner=BOUNDED_BY, effort="low")
    stop = "optimal" if peak == reference.bound else "complete"
    name = embedded.info.name
    return Plan(name, offsets, None, peak, reference.load, reference.bound, stop, {})


def _unsigned(value: int, what: str, most: int) -> int:
    try:
        return checked_integer(value, what, least=0, most=most)
    except ValueError as error:
        raise InvalidOptionError(str(error)) from None


def as_core_problem(problem: Problem) -> dict[str, Any]:
    """Lay a problem out as the binding reads it: contiguous int64 arrays and plain tuples."""

    def contiguous(array: Int64Array | None) -> Any:
        return None if array is None else np.ascontiguousarray(array)

    pairs = contiguous(problem.conflict_pairs)
    return {
        "sizes": contiguous(problem.sizes),
        "starts": contiguous(problem.starts),
        "ends": contiguous(problem.ends),
        "alignments": contiguous(problem.alignments),
        "fixed": list(problem.fixed),
        "gaps": list(problem.gaps),
        "conflict_relation": problem.conflict_relation,
        "conflict_pairs": None if pairs is None else pairs.reshape(-1),
        "pools": [(pool.name, pool.capacity, pool.base_address) for pool in problem.pools],
        "candidates": list(problem.candidates),
        "describe": problem.describe,
    }
