"""How often `exact` proves an optimum above its bound: few buffers with mixed alignments.

Draws problems of 14 to 26 buffers whose alignments have no common divisor, so that the load is
often not attainable, and prints how many are proved, with how many nodes (placements tried).

    python benchmarks/exact_proofs.py [--problems 68] [--effort medium]
"""

import argparse
import random
import time

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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=68)
    parser.add_argument("--effort", default="medium", choices=["low", "medium", "high"])
    arguments = parser.parse_args()
    proved = above = nodes = 0
    before = time.process_time()
    for seed in range(arguments.problems):
        found = plan(draw(seed), planner="exact", effort=arguments.effort, threads=1)
        proved += found.stop == "optimal"
        above += found.peak > found.load
        nodes += found.statistics["nodes"]
    seconds = time.process_time() - before
    print(
        f"{proved} of {arguments.problems} proved, {above} end above the load; "
        f"{nodes / 1e6:.1f} million nodes, {seconds:.1f} CPU seconds"
    )


if __name__ == "__main__":
    main()
