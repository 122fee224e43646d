"""What `auto` makes of rectangles cut into tiles (`tilings.py`), whose least peak is the load.

    python benchmarks/perfect_tilings.py [--buffers 100,1000,10000,100000] [--seeds 3]
        [--first-seed 0] [--planner auto]

One row for each number of buffers and way of cutting: how many of the seeds end at the load, the
worst and the median peak over the load, the best of the planners of one pass in the worst case, and
the most CPU seconds of one thread, with conversion and check. Up to 10,000 buffers there are 1,000
ticks; with more also 16 ticks for each buffer, so that hardly anything fits by chance.
Exits with 1, and marks the rows, if the planner ends above one of those of one pass.
"""

import argparse
import statistics
import sys
import time

import tilings

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan

ONE_PASS = (
    "tetris-by-lifetime",
    "tetris-by-area",
    "tetris-by-size",
    "first-fit-by-size",
    "first-fit-by-area",
    "first-fit-by-lifetime",
    "first-fit-by-contention",
    "best-fit-by-size",
)
TICKS_PER_BUFFER = 16
MANY = 10_000


def peak_over_load(problem: Problem, planner: str) -> float:
    """Of one plan with one thread."""
    found = plan(problem, planner=planner, threads=1)
    return found.peak / found.load


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--buffers", default="100,300,1000,10000,100000")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--planner", default="auto")
    arguments = parser.parse_args()
    above = False
    print(f"{'tiles':38}{'at load':>8}{'median':>8}{'worst':>8}{'1 pass':>8}{'CPU s':>7}")
    for buffers in map(int, arguments.buffers.split(",")):
        many = [TICKS_PER_BUFFER * buffers] if buffers >= MANY else []
        for ticks in (tilings.WIDTH_TICKS, *many):
            for even in (False, True):
                for pinwheels in (False, True):
                    cut = "pinwheels" if pinwheels else "guillotine"
                    name = f"{buffers} {'even ' if even else ''}{cut}"
                    name = f"{name}, {ticks} ticks"
                    above |= row(name, arguments, buffers, ticks, even, pinwheels)
    sys.exit(above)


def row(
    name: str,
    arguments: argparse.Namespace,
    buffers: int,
    ticks: int,
    even: bool,
    pinwheels: bool,
) -> bool:
    """Plan one kind of tiling with all seeds, and print; true if some ended above one pass."""
    peaks: list[float] = []
    seconds: list[float] = []
    others: list[float] = []
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        cut = tilings.tiling(buffers, seed, pinwheels=pinwheels, even=even, ticks=ticks)
        problem = tilings.problem(cut)
        began = time.process_time()
        peaks.append(peak_over_load(problem, arguments.planner))
        seconds.append(time.process_time() - began)
        others.append(min(peak_over_load(problem, planner) for planner in ONE_PASS))
    above = [one > other for one, other in zip(peaks, others, strict=True)]
    reached = f"{sum(peak == 1 for peak in peaks)}/{len(peaks)}"
    print(
        f"{name:38}{reached:>8}{statistics.median(peaks):8.4f}{max(peaks):8.4f}{max(others):8.3f}"
        f"{max(seconds):7.2f}{'  ABOVE ONE PASS' if any(above) else ''}",
        flush=True,
    )
    return any(above)


if __name__ == "__main__":
    main()
