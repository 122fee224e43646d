"""Runs of planners for benchmarks: CPU seconds, ratio to the bound, peers where installed."""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import Effort, plan

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Run:
    """What one run took and gave."""

    seconds: float
    ratio: float
    stop: str


def cpu_seconds() -> float:
    """CPU seconds of this process and all its threads, user and system."""
    return time.process_time()


def peak_gib() -> float:
    """Most memory this process has had, in GiB (Linux counts KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def run(problem: Problem, planner: str, *, effort: Effort = "medium", **options: object) -> Run:
    """Plan once, through Python, conversion and final check included."""
    start = cpu_seconds()
    result = plan(problem, planner=planner, effort=effort, **options)  # type: ignore[arg-type]
    return Run(cpu_seconds() - start, result.peak / max(1, result.bound), result.stop)


def medians(make: Callable[[int], Run], seeds: int) -> Run:
    """Medians over seeds; the stop reason is the most frequent one."""
    runs = [make(seed) for seed in range(seeds)]
    stops = [r.stop for r in runs]
    return Run(
        median(r.seconds for r in runs),
        median(r.ratio for r in runs),
        max(sorted(set(stops)), key=stops.count),
    )


def load_csv(path: Path) -> Problem:
    """Read a file of buffers."""
    with path.open(encoding="utf-8") as stream:
        return read_problem(stream, path.name)


def cp_sat(problem: Problem, limit_seconds: float) -> Run:
    """OR-tools CP-SAT on one thread: intervals in time and address that may not overlap."""
    from ortools.sat.python import cp_model

    start = time.process_time()
    model = cp_model.CpModel()
    load = max_load(problem)
    total = int(problem.sizes.sum())
    peak = model.new_int_var(load, total, "peak")
    times, spaces = [], []
    for i in range(len(problem)):
        size = int(problem.sizes[i])
        begin, end = int(problem.starts[i]), int(problem.ends[i])
        if begin >= end or size == 0:
            continue
        offset = model.new_int_var(0, total - size, "")
        times.append(model.new_fixed_size_interval_var(begin, end - begin, ""))
        spaces.append(model.new_fixed_size_interval_var(offset, size, ""))
        model.add(peak >= offset + size)
    model.add_no_overlap_2d(times, spaces)
    model.minimize(peak)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit_seconds
    solver.parameters.catch_sigint_signal = False
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    ratio = solver.objective_value / load if found else float("nan")
    return Run(time.process_time() - start, ratio, solver.status_name(status).lower())


def max_load(problem: Problem) -> int:
    """The most bytes live at once."""
    events = [(int(t), int(z)) for t, z in zip(problem.starts, problem.sizes, strict=True)]
    events += [(int(t), -int(z)) for t, z in zip(problem.ends, problem.sizes, strict=True)]
    live = most = 0
    for _, change in sorted(events):
        live += change
        most = max(most, live)
    return most


def omnimalloc(problem: Problem) -> Run | None:
    """Omnimalloc's greedy by size; None where it is not installed."""
    try:
        import omnimalloc as omni
    except ImportError:
        return None
    start = cpu_seconds()
    allocations = tuple(
        omni.Allocation(
            id=i,
            size=int(problem.sizes[i]),
            start=int(problem.starts[i]),
            end=int(problem.ends[i]),
        )
        for i in range(len(problem))
    )
    placed = omni.GreedyBySizeAllocator().allocate(allocations)
    peak = max(a.offset + a.size for a in placed)
    return Run(cpu_seconds() - start, peak / max_load(problem), "complete")
