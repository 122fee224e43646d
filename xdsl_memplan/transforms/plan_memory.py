"""Plans the buffers of one function that go to one memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op, symbol_name
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.pins import check_pins
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, ReservedRange, problem_of
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.transforms.ranged_placement import place_ranges

if TYPE_CHECKING:
    from xdsl_memplan.planners.plan import Effort


@dataclass(frozen=True)
class PlannerOptions:
    """Who plans, and how: the options of `xdsl_memplan.plan`."""

    planner: str = ""
    """A name that `memplan planners` lists; empty: the default one."""
    seed: int = 0
    effort: str = "medium"
    threads: int = 1
    minimize: bool = True
    """Whether an arena that fits its capacity is to be as small as the effort allows; otherwise a
    small share of the work has to do once something fits."""


def plan_memory(
    lifetimes: FunctionLifetimes,
    memory: Memory,
    buffers: Sequence[PlannedBuffer],
    reserved: Sequence[ReservedRange],
    options: PlannerOptions,
) -> Plan:
    """Give each of ``buffers``, then each of ``reserved``, an offset in ``memory``.

    The plan may be above the capacity of the memory. Where ranges had to be kept its bound is the
    load: what was fixed to keep them is no law.

    Raises PassFailedException with the buffer for pins and ranges that cannot be kept, and with
    function and memory for what the planner refuses.
    """
    check_pins(buffers, memory, reserved)
    problem = problem_of(buffers, memory, reserved)
    result = _run(lifetimes, memory, problem, options)
    ranges = {i: b.offset_range for i, b in enumerate(buffers) if b.offset_range is not None}
    if _kept(problem, result, ranges):
        return result
    if memory.capacity is not None:
        ranges = {i: (low, min(high, memory.capacity)) for i, (low, high) in ranges.items()}
    offsets = place_ranges(buffers, ranges, reserved, memory.base or 0)
    if offsets is None:
        raise _no_room(lifetimes, memory, buffers, ranges)
    fixed = [*problem.fixed, *sorted(offsets.items())]
    result = _run(lifetimes, memory, replace(problem, fixed=fixed), options)
    return replace(result, bound=result.load)


def _kept(problem: Problem, plan: Plan, ranges: Mapping[int, tuple[int, int]]) -> bool:
    ends = plan.offsets + problem.sizes
    return all(low <= plan.offsets[i] and ends[i] <= high for i, (low, high) in ranges.items())


def _no_room(
    lifetimes: FunctionLifetimes,
    memory: Memory,
    buffers: Sequence[PlannedBuffer],
    ranges: Mapping[int, tuple[int, int]],
) -> PassFailedException:
    listed = [
        f"  {buffers[i].size} bytes in [{low}, {high}), live [{buffers[i].lifetime.start}, "
        f"{buffers[i].lifetime.end}): {describe_op(buffers[i].op)}"
        for i, (low, high) in ranges.items()
    ]
    where = f"@{symbol_name(lifetimes.function)}, memory '{memory.name}'"
    return PassFailedException(
        "\n".join([f"{where}: found no offsets for what must lie in ranges or banks:", *listed])
    )


def check_planner_options(options: PlannerOptions) -> None:
    """Raise PassFailedException for a planner, seed, effort or threads that there are none of."""
    from xdsl_memplan.planners.errors import InvalidOptionError, UnknownPlannerError
    from xdsl_memplan.planners.plan import DEFAULT_PLANNER, plan

    try:
        plan(
            Problem.from_buffers([]),
            planner=options.planner or DEFAULT_PLANNER,
            seed=options.seed,
            effort=cast("Effort", options.effort),
            threads=options.threads,
        )
    except (InvalidOptionError, UnknownPlannerError) as error:
        raise _wrong_option(error) from error


def _wrong_option(error: Exception) -> PassFailedException:
    words = str(error).split()
    option = next((name for name in ("seed", "threads", "effort") if name in words), "planner")
    return PassFailedException(f"option {option}: {error}")


def _run(
    lifetimes: FunctionLifetimes, memory: Memory, problem: Problem, options: PlannerOptions
) -> Plan:
    # The Rust core is loaded when it is needed: every start of xdsl-opt lists the passes.
    from xdsl_memplan.planners.errors import (
        InvalidOptionError,
        PlanningError,
        UnknownPlannerError,
    )
    from xdsl_memplan.planners.plan import DEFAULT_PLANNER, plan

    def planned(effort: str, minimize: bool) -> Plan:
        return plan(
            problem,
            planner=options.planner or DEFAULT_PLANNER,
            seed=options.seed,
            effort=cast("Effort", effort),
            threads=options.threads,
            minimize=minimize,
        )

    try:
        if options.minimize or memory.capacity is None:
            return planned(options.effort, minimize=True)
        fits = planned(options.effort, minimize=False)
        if fits.stop == "infeasible":
            return planned(options.effort, minimize=True)  # It says how many bytes are missing.
        if fits.peak > memory.capacity or fits.peak == fits.bound:
            return fits
        smaller = planned("low", minimize=True)
        return smaller if smaller.peak <= fits.peak else fits
    except (InvalidOptionError, UnknownPlannerError) as error:
        raise _wrong_option(error) from error
    except (PlanningError, OverflowError) as error:
        where = f"@{symbol_name(lifetimes.function)}, memory '{memory.name}'"
        raise PassFailedException(f"{where}: {error}") from error
