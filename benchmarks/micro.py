"""TelaMalloc's four microbenchmarks (Maas et al., ASPLOS 2023), and the problems of real networks.

    python benchmarks/micro.py

In shape only, as its sizes are not public: non-overlapping buffers, and buffers that are all alive
at once. CPU milliseconds through Python, the least of five; the core's share is what is left
without crossing the boundary.
"""

import time

import numpy as np
from planner_runs import DATA, load_csv, run

from xdsl_memplan import _idealloc
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import as_core_problem, plan


def shape(buffers: int, overlapping: bool) -> Problem:
    sizes = np.random.default_rng(1).integers(1, 1 << 20, buffers)
    starts = np.zeros(buffers, dtype=np.int64) if overlapping else np.arange(buffers)
    return Problem(sizes=sizes, starts=starts, ends=starts + 1)


def main() -> None:
    print(f"{'instance':22} {'through Python':>16} {'crossing':>12}  result")
    for name, buffers, overlapping in (
        ("non-overlapping 1K", 1_000, False),
        ("non-overlapping 10K", 10_000, False),
        ("full overlap 100", 100, True),
        ("full overlap 1K", 1_000, True),
    ):
        problem = shape(buffers, overlapping)
        offsets = np.empty(buffers, dtype=np.int64)
        result = plan(problem)
        whole = crossing = float("inf")
        for _ in range(5):
            start = time.process_time()
            plan(problem)
            whole = min(whole, time.process_time() - start)
            start = time.process_time()
            _idealloc.cross(as_core_problem(problem), offsets)
            crossing = min(crossing, time.process_time() - start)
        print(f"{name:22} {1e3 * whole:13.2f} ms {1e3 * crossing:9.2f} ms  {result.stop}")
    files = sorted((DATA / "networks").glob("*.csv"))
    runs = [run(load_csv(path), "auto") for path in files]
    print(
        f"{len(files)} networks: {sum(r.seconds for r in runs):.3f} s in total, "
        f"the slowest {max(r.seconds for r in runs):.3f} s, "
        f"worst peak over bound {max(r.ratio for r in runs):.6f}"
    )


if __name__ == "__main__":
    main()
