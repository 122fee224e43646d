"""How often `exact` proves an optimum above its bound: few buffers with mixed alignments.

Draws problems of 14 to 26 buffers whose alignments have no common divisor, so that the load is
often not attainable, and prints how many are proved, with how many nodes (placements tried). With
`--cp-sat SECONDS` OR-tools CP-SAT gets each problem too, for so long at most, on one worker: with
a choice of order for each pair of buffers that conflict, and with intervals in time and address
that do not overlap. Stops with an error if two optima differ.

    python benchmarks/exact_proofs.py [--problems 68] [--effort medium] [--cp-sat SECONDS]
"""

import argparse
import itertools
import random
import time
from importlib import import_module
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan


def draw(seed: int) -> Problem:
    """Draw 14 to 26 buffers that live for 1 to 4 of 5 to 12 ticks, with alignments 1 to 8."""
    source = random.Random(seed)
    buffers, horizon = source.choice([14, 18, 22, 26]), source.choice([5, 7, 9, 12])
    rows: list[tuple[int, int, int, int]] = []
    for _ in range(buffers):
        start = source.randrange(horizon)
        end = min(horizon, start + source.choice([1, 2, 2, 3, 3, 4]))
        size = source.choice([3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 17])
        rows.append((size, start, end, source.choice([1, 2, 3, 4, 6, 8])))
    sizes, starts, ends, alignments = np.array(rows, dtype=np.int64).T
    return Problem(sizes=sizes, starts=starts, ends=ends, alignments=alignments)


def by_cp_sat(problem: Problem, pairwise: bool, seconds: float) -> int | None:
    """Return the least peak as OR-tools CP-SAT proves it; None if it does not in that time."""
    cp_model: Any = import_module("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    sizes, steps = problem.sizes.tolist(), np.asarray(problem.alignments).tolist()
    lives = list(zip(problem.starts.tolist(), problem.ends.tolist(), strict=True))
    most = sum(sizes) + sum(steps)
    peak = model.new_int_var(0, most, "peak")
    offsets = [step * model.new_int_var(0, most // step, "") for step in steps]
    for offset, size in zip(offsets, sizes, strict=True):
        model.add(offset + size <= peak)
    if pairwise:
        for (i, a), (j, b) in itertools.combinations(enumerate(lives), 2):
            if a[0] < b[1] and b[0] < a[1]:
                below = model.new_bool_var("")
                model.add(offsets[i] + sizes[i] <= offsets[j]).only_enforce_if(below)
                model.add(offsets[j] + sizes[j] <= offsets[i]).only_enforce_if(~below)
    else:
        interval = model.new_fixed_size_interval_var
        times = [interval(start, end - start, "") for start, end in lives]
        places = [interval(at, size, "") for at, size in zip(offsets, sizes, strict=True)]
        model.add_no_overlap_2d(times, places)
    model.minimize(peak)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False
    return int(solver.objective_value) if solver.solve(model) == cp_model.OPTIMAL else None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=68)
    parser.add_argument("--effort", default="medium", choices=["low", "medium", "high"])
    parser.add_argument("--cp-sat", type=float, metavar="SECONDS", dest="seconds")
    arguments = parser.parse_args()
    problems = [draw(seed) for seed in range(arguments.problems)]
    proved = above = nodes = most = 0
    peaks: list[int | None] = []
    before = time.process_time()
    for problem in problems:
        found = plan(problem, planner="exact", effort=arguments.effort, threads=1)
        peaks.append(found.peak if found.stop == "optimal" else None)
        proved += found.stop == "optimal"
        above += found.peak > found.load
        nodes += found.statistics["nodes"]
        most = max(most, found.statistics["nodes"])
    seconds = time.process_time() - before
    print(
        f"{proved} of {len(problems)} proved, {above} end above the load; "
        f"{nodes / 1e6:.2f} million nodes ({most / 1e6:.2f} for one), {seconds:.2f} CPU seconds"
    )
    for pairwise in [True, False] if arguments.seconds else []:
        before = time.process_time()
        optima = [by_cp_sat(problem, pairwise, arguments.seconds) for problem in problems]
        seconds = time.process_time() - before
        for seed, (peak, optimum) in enumerate(zip(peaks, optima, strict=True)):
            if None not in (peak, optimum) and peak != optimum:
                raise SystemExit(f"seed {seed}: exact proves {peak}, CP-SAT {optimum}")
        count = sum(optimum is not None for optimum in optima)
        model = "a choice for each pair" if pairwise else "intervals that do not overlap"
        print(f"CP-SAT, {model}: {count} proved, {seconds:.1f} CPU seconds")


if __name__ == "__main__":
    main()
