"""What a time limit costs: CPU seconds of every planner beside those of one pass over the buffers.

    python benchmarks/time_limits.py [--buffers 1000000] [--seconds 0.1] [--only TEXT]

A limit may be overrun by a fifth and one pass over the input, which `onnxruntime` is: the problem
is converted, placed in the order of time, and checked. Prints how each planner ends: with the plan
so far, or with the error that says that time ran out.
"""

import argparse
import time

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.errors import PlanningError
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.planners.registry import planners


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
    arguments = parser.parse_args()
    problem = mixed_lifetimes(arguments.buffers, 1)
    one_pass, _ = run(problem, "onnxruntime", None)
    print(f"one pass: {one_pass:.2f} s; allowed: {1.2 * arguments.seconds + one_pass:.2f} s")
    for planner in (one.name for one in planners() if arguments.only in one.name):
        seconds, end = run(problem, planner, arguments.seconds)
        print(f"{planner:28} {seconds:6.2f} s  {end}", flush=True)


if __name__ == "__main__":
    main()
