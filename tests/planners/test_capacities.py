"""A capacity decides where only fitting is asked for, and never hurts who asks for the least."""

from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan import Pool, Problem, plan
from xdsl_memplan.formats.minimalloc_csv import read_problem

DATA = Path(__file__).parent.parent / "data" / "minimalloc"
SEARCHES = ("auto", "exact", "minimalloc")


def minimalloc(name: str) -> Problem:
    with (DATA / f"{name}.1048576.csv").open(encoding="utf-8") as stream:
        return read_problem(stream)


def two_buffers(capacity: int | None) -> Problem:
    """One is fixed at 14, so that the other has to go above it: 14 + 192 + 448."""
    return Problem(
        np.array([192, 448]),
        np.array([3, 0]),
        np.array([6, 8]),
        fixed=[(0, 14)],
        pools=(Pool(capacity=capacity),),
    )


@pytest.mark.parametrize("planner", SEARCHES)
@pytest.mark.parametrize("capacity", [None, 223, 300, 600, 653, 654, 10_000])
def test_whatever_the_capacity_the_least_peak_is_found(planner: str, capacity: int | None):
    found = plan(two_buffers(capacity), planner=planner)
    assert (found.peak, found.bound, found.stop) == (654, 654, "optimal")
    assert found.statistics.get("nodes", 0) < 1000


@pytest.mark.parametrize("planner", SEARCHES)
def test_asked_to_fit_what_is_too_small_is_said_at_once(planner: str):
    for capacity in (223, 600, 653):
        found = plan(two_buffers(capacity), planner=planner, minimize=False)
        assert found.stop == "infeasible"
        assert found.bound > capacity
    assert plan(two_buffers(654), planner=planner, minimize=False).stop in ("fits", "optimal")


@pytest.mark.parametrize("name", ["A", "F"])
def test_a_capacity_below_the_load_does_not_spoil_the_search(name: str):
    problem = minimalloc(name)
    free, tight = plan(problem), plan(problem.with_capacity(1_000_000))
    assert free.peak == free.load
    assert (tight.peak, tight.stop) == (free.peak, "optimal")
    only_fit = plan(problem.with_capacity(1_000_000), minimize=False)
    assert (only_fit.stop, only_fit.statistics["nodes"]) == ("infeasible", 0)


def test_whether_j_fits_takes_no_minimising():
    found = plan(minimalloc("J").with_capacity(1 << 20), minimize=False)
    assert found.stop == "fits"
    assert found.statistics["nodes"] < 20_000
