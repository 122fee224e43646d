"""How fast `exact` and `minimalloc` solve minimalloc's benchmark instances.

Prints three tables: A..K at their capacity of 1 MiB, C and D with the load as capacity by seed,
and what `exact` ends with when it minimises.
Times are user CPU seconds of one thread, median over seeds. The original minimalloc joins in with
``--minimalloc PATH`` to its binary.

    python benchmarks/exact.py [--instances DIR] [--seeds 5] [--only A,D]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan

CAPACITY_BYTES = 1_048_576
LOADS = {"C": 1_039_360, "D": 986_112}  # below 1 MiB; J's, 989 184, takes minutes
INSTANCES = Path(__file__).parents[1] / "tests" / "data" / "minimalloc"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--instances", type=Path, default=INSTANCES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="A,B,C,D,E,F,G,H,I,J,K")
    parser.add_argument("--planners", default="exact,minimalloc")
    parser.add_argument("--effort", default="high", choices=["low", "medium", "high"])
    parser.add_argument("--minimalloc", type=Path, help="binary of the original")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per run")
    arguments = parser.parse_args()
    names = arguments.only.split(",")
    problems = {name: read(arguments.instances, name, None) for name in names}
    planners = arguments.planners.split(",")
    print(f"capacity {CAPACITY_BYTES}: median user seconds (solved/seeds)")
    header = "".join(f"{planner:>24}" for planner in planners)
    print(f"{'':4}{header}" + ("   minimalloc (C++)" if arguments.minimalloc else ""))
    sums = dict.fromkeys(planners, 0.0)
    for name in names:
        problem = read(arguments.instances, name, CAPACITY_BYTES)
        cells: list[str] = []
        for planner in planners:
            median, solved = measure(problem, planner, arguments)
            sums[planner] += median
            cells.append(f"{median:14.3f} ({solved}/{arguments.seeds}) ".rjust(24))
        if arguments.minimalloc:
            cells.append(f"{original(arguments, name, CAPACITY_BYTES):19.3f}")
        print(f"{name:4}{''.join(cells)}", flush=True)
    print("sum " + "".join(f"{sums[planner]:18.3f}      " for planner in planners))
    print("\nexact with the load as capacity: user seconds by seed ('-' for not solved)")
    for name in [name for name in names if name in LOADS]:
        problem = read(arguments.instances, name, LOADS[name])
        cells = [
            f"{seconds:.2f}" if fits else "-"
            for seconds, fits in (
                run(problem, "exact", seed, arguments) for seed in range(arguments.seeds)
            )
        ]
        print(f"{name:4}" + "".join(cell.rjust(8) for cell in cells), flush=True)
    print("\nexact without capacity (minimise): peak/load, bound, stop, user seconds; seed 0")
    for name, problem in problems.items():
        before = time.process_time()
        found = plan(
            problem,
            planner="exact",
            effort=arguments.effort,
            time_limit_seconds=arguments.time_limit,
        )
        seconds = time.process_time() - before
        print(
            f"{name:4}{found.peak:9} / {found.load:<9}{found.bound:9}"
            f"  {found.stop:<12}{seconds:8.3f}",
            flush=True,
        )


def read(directory: Path, name: str, capacity_bytes: int | None) -> Problem:
    """One instance with a capacity."""
    with (directory / f"{name}.1048576.csv").open() as stream:
        return read_problem(stream, name, capacity=capacity_bytes)


def measure(problem: Problem, planner: str, arguments: argparse.Namespace) -> tuple[float, int]:
    """Median user seconds over seeds, and how many of the runs fit."""
    runs = [run(problem, planner, seed, arguments) for seed in range(arguments.seeds)]
    return statistics.median(seconds for seconds, _ in runs), sum(fits for _, fits in runs)


def run(
    problem: Problem, planner: str, seed: int, arguments: argparse.Namespace
) -> tuple[float, bool]:
    """User seconds of one run, and whether its plan fits."""
    before = time.process_time()
    found = plan(
        problem,
        planner=planner,
        seed=seed,
        effort=arguments.effort,
        minimize=False,
        time_limit_seconds=arguments.time_limit,
    )
    return time.process_time() - before, found.peak <= (problem.pools[0].capacity or 0)


def original(arguments: argparse.Namespace, name: str, capacity_bytes: int) -> float:
    """User seconds of the original's binary."""
    source = arguments.instances / f"{name}.1048576.csv"
    with tempfile.NamedTemporaryFile(suffix=".csv") as output:
        before = os.times().children_user
        subprocess.run(
            [
                str(arguments.minimalloc),
                f"--capacity={capacity_bytes}",
                f"--input={source}",
                f"--output={output.name}",
                f"--timeout={arguments.time_limit:.0f}s",
            ],
            check=False,
            stdout=sys.stderr,
        )
        return os.times().children_user - before


if __name__ == "__main__":
    main()
