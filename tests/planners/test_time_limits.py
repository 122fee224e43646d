"""A time limit ends with the plan so far, or with an error that says so; never as Ctrl-C does."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from xdsl_memplan import Problem, plan
from xdsl_memplan.planners.check import check_with_core
from xdsl_memplan.planners.errors import PlanningError, TimeLimitError
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.registry import planners

LIMIT_SECONDS = 0.001
MANY = mixed_lifetimes(60_000)
FINISHES_ANYWAY = {"naive"}
"""Goes over the buffers once and does not look at the clock."""
TOO_LARGE = {"tflite-gpu-min-cost-flow"}


@pytest.mark.parametrize("planner", [planner.name for planner in planners()])
def test_every_planner_ends_in_one_of_two_ways(planner: str):
    began = time.process_time()
    try:
        found = plan(MANY, planner=planner, time_limit_seconds=LIMIT_SECONDS)
    except TimeLimitError as error:
        message = str(error)
    except PlanningError as error:
        message = str(error) if planner in TOO_LARGE else ""
    else:
        assert check_with_core(MANY, found.offsets) == found.peak
        assert found.stop == ("complete" if planner in FINISHES_ANYWAY else "time-limit")
        message = f"planner '{planner}'"
    assert f"planner '{planner}'" in message
    # A few passes over the buffers; machines that run tests are slow.
    assert time.process_time() - began < 1.5


@pytest.mark.parametrize("planner", ["auto", "exact", "minimalloc"])
def test_searches_have_a_plan(planner: str):
    assert plan(MANY, planner=planner, time_limit_seconds=LIMIT_SECONDS).stop == "time-limit"


@pytest.mark.parametrize("planner", ["tetris-by-area", "idealloc", "triton", "tvm-by-size"])
def test_ctrl_c_does_not_wait(planner: str):
    problem = mixed_lifetimes(200_000)
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(0.02)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    # Some are ready before; then the signal comes out of join.
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        plan(problem, planner=planner, effort="max")
        thread.join()
        time.sleep(1)
    assert time.perf_counter() - sent[0] < 1.0
    thread.join()


def test_a_limit_that_is_long_enough_changes_nothing():
    column = np.arange(100)
    problem = Problem(column + 1, column, column + 7)
    for planner in ("auto", "xla-best-of"):
        free = plan(problem, planner=planner)
        limited = plan(problem, planner=planner, time_limit_seconds=60)
        assert (free.stop, free.offsets.tolist()) == (limited.stop, limited.offsets.tolist())
