"""Who takes part in a benchmark."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.planners.kernel import Kernel
from xdsl_memplan.planners.plan import Effort, plan
from xdsl_memplan.planners.registry import PlannerInfo, core_planners, planners


@dataclass(frozen=True)
class Limits:
    """What a contender may use in one run."""

    seconds: float
    effort: Effort = "medium"
    threads: int = 1
    minimize: bool = True
    """False: to fit in the capacity is enough."""
    target: int | None = None
    """Bytes at which a search may stop: the capacity, or, to minimize, the load."""


@dataclass(frozen=True)
class Task:
    """A run that is ready to go: `work` is what is timed, `offsets` reads its result in bytes."""

    work: Callable[[], Any]
    offsets: Callable[[Any], Int64Array]
    kernel_seconds: Callable[[], float] | None = None
    """Runs the rule alone once more, without parsing, conversion and check: its seconds."""


@dataclass(frozen=True)
class Contender:
    """A planner under test, ours or a peer's."""

    name: str
    side: Literal["ours", "peer"]
    prepare: Callable[[Problem, Limits], Task]
    """Turns a problem into the contender's own terms; not timed."""
    most_buffers: int | None = None
    """Larger problems are left out: the rule is quadratic or worse."""
    searches: bool = False
    """Whether it uses the time it is given, rather than following a rule once."""
    knows_capacity: bool = False
    """Whether it can stop as soon as a plan fits."""
    honours: frozenset[str] = frozenset()
    """What of `FEATURES` it is told about; problems with others are not for it."""
    timed: str = "call"
    """What its `kernel_seconds`, or without these its call, consists of, in a word or two."""


FEATURES: dict[str, Callable[[Problem], bool]] = {
    "alignment": lambda problem: (
        problem.alignments is not None and bool((problem.alignments > 1).any())
    ),
    "fixed offsets": lambda problem: bool(problem.fixed),
    "gaps in lifetimes": lambda problem: bool(problem.gaps),
    "conflicts besides lifetimes": lambda problem: problem.conflict_pairs is not None,
}
"""What not every planner can be told, and whether a problem has it."""


def unknown_feature(contender: Contender, problem: Problem) -> str | None:
    """Return the first feature of a problem that a contender does not know."""
    used = (name for name, is_used in FEATURES.items() if is_used(problem))
    return next((name for name in used if name not in contender.honours), None)


_MOST_BUFFERS = {
    "exact": 20_000,
    "minimalloc": 20_000,
    "telamalloc": 20_000,
    "tflite-gpu-min-cost-flow": 1_500,
    "tflite-gpu-by-size-objects": 30_000,
    "tvm-hill-climb": 20_000,
    "vela-hill-climb": 20_000,
    "triton": 30_000,
    "tetris-by-size": 200_000,
    "tetris-by-area": 200_000,
    "tetris-by-lifetime": 200_000,
    "somas": 200_000,
    "xla-best-of": 200_000,
}
"""Buffers up to which our slower planners take part: quadratic ones, and those that run others."""

_SEARCHES = {
    "auto",
    "exact",
    "idealloc",
    "minimalloc",
    "telamalloc",
    "tvm-hill-climb",
    "vela-hill-climb",
}

_KNOW_CAPACITY = {"auto", "exact", "idealloc", "minimalloc", "telamalloc"}


def ours() -> list[Contender]:
    """Return every planner of the registry, those that embedders registered included."""
    core = core_planners()
    return [
        Contender(
            planner.name,
            "ours",
            _prepare_ours(planner.name, has_kernel=planner in core),
            _MOST_BUFFERS.get(planner.name),
            searches=planner.name in _SEARCHES,
            knows_capacity=planner.name in _KNOW_CAPACITY,
            honours=_features_of(planner),
            timed="kernel" if planner in core else "call",
        )
        for planner in planners()
    ]


def _features_of(planner: PlannerInfo) -> frozenset[str]:
    known = (planner.alignment, planner.fixed_offsets, planner.gaps, planner.conflicts)
    return frozenset(name for name, knows in zip(FEATURES, known, strict=True) if knows)


def _prepare_ours(name: str, *, has_kernel: bool) -> Callable[[Problem, Limits], Task]:
    def prepare(problem: Problem, limits: Limits) -> Task:
        def work() -> Int64Array:
            return plan(
                problem,
                planner=name,
                effort=limits.effort,
                threads=limits.threads,
                time_limit_seconds=limits.seconds,
                minimize=limits.minimize,
                parameters=parameters,
            ).offsets

        # As of the original, how long it searches depends on the memory there is.
        parameters = (
            {"memory-limit": str(limits.target)}
            if name == "vela-hill-climb" and limits.target is not None
            else {}
        )

        def kernel_seconds() -> float:
            kernel = Kernel(problem)
            began = time.thread_time()
            kernel.run(name)
            return time.thread_time() - began

        return Task(work, lambda offsets: offsets, kernel_seconds if has_kernel else None)

    return prepare
