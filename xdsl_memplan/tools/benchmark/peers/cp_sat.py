"""CP-SAT of OR-tools: https://developers.google.com/optimization, Apache-2.0.

It is given what a careful user gives it: the load as a bound, a cumulative constraint besides the
one that no two buffers overlap, and the better of two one-pass layouts as a hint, above which
nothing is looked for.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task
from xdsl_memplan.tools.benchmark.instances import load_of

_HINTS = ("first-fit-by-size", "tetris-by-area")


def contenders() -> Iterator[Contender]:
    """Yield CP-SAT on the model of intervals in time and address. Raises ImportError."""
    cp_model: Any = import_module("ortools.sat.python.cp_model")

    def prepare(problem: Problem, limits: Limits) -> Task:
        model = cp_model.CpModel()
        free = problem.with_capacity(None)
        hint = min((plan(free, planner=name) for name in _HINTS), key=lambda one: one.peak)
        peak = model.new_int_var(load_of(problem), hint.peak, "peak")
        model.add_hint(peak, hint.peak)
        offsets: list[Any] = []
        times: list[Any] = []
        places: list[Any] = []
        columns = (problem.sizes, problem.starts, problem.ends, hint.offsets)
        for size, start, end, at in zip(*(column.tolist() for column in columns), strict=True):
            offset = model.new_int_var(0, hint.peak - size, "")
            model.add_hint(offset, at)
            model.add(offset + size <= peak)
            offsets.append(offset)
            times.append(model.new_fixed_size_interval_var(start, end - start, ""))
            places.append(model.new_fixed_size_interval_var(offset, size, ""))
        model.add_no_overlap_2d(times, places)
        model.add_cumulative(times, problem.sizes.tolist(), peak)
        if limits.minimize or problem.capacity is None:
            model.minimize(peak)
        else:
            model.add(peak <= problem.capacity)
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = limits.seconds
        solver.parameters.num_workers = max(1, limits.threads)
        # Otherwise CP-SAT puts the system's handler of Ctrl-C in place of Python's, for good.
        solver.parameters.catch_sigint_signal = False

        def work() -> Any:
            status = solver.solve(model)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                raise TimeoutError("no solution within the time limit")
            return solver

        def read(solved: Any) -> Int64Array:
            return np.array([solved.value(offset) for offset in offsets], dtype=np.int64)

        return Task(work, read)

    yield Contender("ortools CP-SAT", "peer", prepare, 1_500, searches=True, knows_capacity=True)
