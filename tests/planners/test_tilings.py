"""Rectangles cut into tiles, as `benchmarks/tilings.py` cuts them."""

import runpy
from pathlib import Path

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan

TILINGS = Path(__file__).parents[2] / "benchmarks" / "tilings.py"


def test_a_tiling_of_which_a_part_fails_is_planned_as_a_whole() -> None:
    """Its parts alone, planned one by one, ended at 1.11 of the load; all together end at 1.016."""
    tilings = runpy.run_path(str(TILINGS))
    problem: Problem = tilings["problem"](tilings["tiling"](1_000, 4, pinwheels=True))
    found = plan(problem, threads=1)
    assert found.peak < 1.03 * found.load
