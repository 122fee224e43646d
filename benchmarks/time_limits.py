"""What a time limit costs: CPU seconds of every planner beside those of one pass over the buffers.

    python benchmarks/time_limits.py [--buffers 1000000] [--seconds 0.1] [--only TEXT]
        [--shapes mixed alike aligned alive apart nested tiles crowded-tiles]

Shapes: `mixed` lifetimes; `alike` in size and length of life; `aligned` to 64 or 4096 bytes; all
`alive` at one moment; one after the other (`apart`); each within the one before (`nested`);
`tiles` of a rectangle, pinwheels among them, with 16 ticks for each, and the same with 1,000 ticks
in all (`crowded-tiles`).

A limit may be overrun by a fifth and one pass over the input: the problem is converted, placed in
the order of time, and checked, which is what `auto` does where there is no time at all. Prints how
each planner ends: with the plan so far, or with the error that says that time ran out.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import tilings

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.errors import PlanningError
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.planners.registry import planners


def problem_of(sizes: object, starts: object, ends: object, alignments: object = None) -> Problem:
    """Make a problem of arrays of integers."""
    arrays = [np.asarray(array, dtype=np.int64) for array in (sizes, starts, ends)]
    aligned = None if alignments is None else np.asarray(alignments, dtype=np.int64)
    return Problem(*arrays, alignments=aligned)


def alike(count: int) -> Problem:
    """Sizes of four values, lives of one length, about a thousand alive at once."""
    random = np.random.default_rng(1)
    starts = np.sort(random.integers(0, count, count))
    return problem_of(random.integers(1, 5, count) * 64, starts, starts + 1000)


def aligned(count: int) -> Problem:
    """Mixed lifetimes, and every eighth buffer at a multiple of a page."""
    mixed = mixed_lifetimes(count, 2)
    alignments = np.where(np.arange(count) % 8 == 0, 4096, 64)
    return problem_of(mixed.sizes, mixed.starts, mixed.ends, alignments)


def alive(count: int) -> Problem:
    """All alive at one moment, each from some time before to some time after it."""
    random = np.random.default_rng(3)
    starts = random.integers(0, count, count)
    return problem_of(random.integers(1, 4096, count), starts, count + 1 + starts)


def apart(count: int) -> Problem:
    """One after the other."""
    starts = np.arange(count)
    return problem_of(1 + starts % 4096, starts, starts + 1)


def nested(count: int) -> Problem:
    """Each alive within the life of the one before."""
    starts = np.arange(count)
    return problem_of(1 + starts * 7919 % 4096, starts, 2 * count - starts)


def tiles(count: int) -> Problem:
    """A rectangle cut at random, sizes uneven."""
    return tilings.problem(tilings.tiling(count, 0, pinwheels=True, ticks=16 * count))


def crowded_tiles(count: int) -> Problem:
    """The same, so that many start and end together."""
    return tilings.problem(tilings.tiling(count, 0, pinwheels=True))


SHAPES: dict[str, Callable[[int], Problem]] = {
    "mixed": lambda count: mixed_lifetimes(count, 1),
    "alike": alike,
    "aligned": aligned,
    "alive": alive,
    "apart": apart,
    "nested": nested,
    "tiles": tiles,
    "crowded-tiles": crowded_tiles,
}


def run(problem: Problem, planner: str, seconds: float | None) -> tuple[float, str]:
    """CPU seconds, and how it ended."""
    began = time.process_time()
    try:
        found = plan(problem, planner=planner, time_limit_seconds=seconds)
        end = f"{found.stop}, {found.peak / found.load:.3f} of the load"
    except PlanningError as error:
        end = type(error).__name__
    return time.process_time() - began, end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buffers", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--only", default="")
    parser.add_argument("--shapes", nargs="*", choices=SHAPES, default=list(SHAPES))
    arguments = parser.parse_args()
    for shape in arguments.shapes:
        problem = SHAPES[shape](arguments.buffers)
        one_pass, _ = run(problem, "auto", 1e-9)
        allowed = 1.2 * arguments.seconds + one_pass
        print(f"{shape}: one pass {one_pass:.2f} s, allowed {allowed:.2f} s", flush=True)
        for planner in (one.name for one in planners() if arguments.only in one.name):
            seconds, end = run(problem, planner, arguments.seconds)
            over = "  OVER" if seconds > allowed else ""
            print(f"  {planner:28} {seconds:6.2f} s  {end}{over}", flush=True)


if __name__ == "__main__":
    main()
