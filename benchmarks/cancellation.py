"""How long planning goes on after Ctrl-C.

    python benchmarks/cancellation.py [--buffers 1000000]

Sends SIGINT to this process at several moments of a long plan, and measures wall seconds from there
to the KeyboardInterrupt: a generated instance through ``auto``, ``tetris-by-area`` and ``idealloc``
and one without slack through ``exact``. The seconds before the signal are spread so that each stage
is hit.
"""

import argparse
import os
import signal
import threading
import time

import numpy as np

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan


def delay(problem: Problem, planner: str, after_seconds: float) -> float | None:
    """Wall seconds from the signal to the exception; None if the plan was ready before."""
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        time.sleep(after_seconds)
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        plan(problem, planner=planner, effort="max")
        thread.join()
    except KeyboardInterrupt:
        return time.perf_counter() - sent
    finally:
        thread.join()
    return None


def hard(buffers: int) -> Problem:
    """Make an instance that exact search does not finish."""
    random = np.random.default_rng(3)
    starts = random.integers(0, 200, buffers)
    return Problem(
        sizes=random.integers(1, 100, buffers) * 1024,
        starts=starts,
        ends=starts + random.integers(5, 60, buffers),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buffers", type=int, default=1_000_000)
    arguments = parser.parse_args()
    cases = (
        ("auto", mixed_lifetimes(arguments.buffers), (0.3, 0.6, 1.0, 2.0, 4.0, 8.0)),
        ("tetris-by-area", mixed_lifetimes(arguments.buffers), (0.3, 1.0, 3.0)),
        ("idealloc", mixed_lifetimes(arguments.buffers), (0.3, 1.0, 3.0)),
        ("exact", hard(400), (0.2, 0.5, 1.0)),
    )
    for planner, problem, moments in cases:
        for after in moments:
            found = delay(problem, planner, after)
            text = "was ready before" if found is None else f"{1e3 * found:.0f} ms"
            print(f"{planner:14} {len(problem):9,} buffers, signal after {after:.1f} s: {text}")


if __name__ == "__main__":
    main()
