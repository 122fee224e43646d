"""What crossing from Python to Rust and back costs, as a share of planning.

    python benchmarks/boundary.py [BUFFERS]      (default 1,000,000)

Crossing is conversion of the arrays into a checked problem and of offsets into an array, without
planning. CPU seconds, the least of three for the crossing.
"""

import sys

import numpy as np
from planner_runs import cpu_seconds

from xdsl_memplan import _idealloc
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import as_core_problem, plan


def main() -> None:
    buffers = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    problem = mixed_lifetimes(buffers)
    offsets = np.empty(buffers, dtype=np.int64)
    crossing = float("inf")
    for _ in range(3):
        start = cpu_seconds()
        _idealloc.cross(as_core_problem(problem), offsets)
        crossing = min(crossing, cpu_seconds() - start)
    start = cpu_seconds()
    result = plan(problem, effort="low")
    core = cpu_seconds() - start - crossing
    print(f"{buffers:,} buffers, peak/bound {result.peak / result.bound:.6f}")
    print(
        f"crossing {crossing:.3f} s, core {core:.3f} s: {100 * crossing / core:.1f} % of the core"
    )


if __name__ == "__main__":
    main()
