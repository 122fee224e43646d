"""What `telamalloc` learns from, and a table that is given."""

from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.backtracks import (
    FEATURES,
    Backtracks,
    collect_backtracks,
    look_ahead,
)
from xdsl_memplan.planners.errors import InvalidOptionError
from xdsl_memplan.planners.plan import plan

DATA = Path(__file__).parents[1] / "data" / "minimalloc"


def instance(capacity: int | None) -> Problem:
    with (DATA / "A.1048576.csv").open() as stream:
        return read_problem(stream, "A", capacity=capacity)


def collect(capacity: int | None) -> Backtracks:
    parameters = {"restart": "0"}
    return collect_backtracks(instance(capacity), parameters=parameters, steps=3000, most=10)


def test_each_target_has_a_row_and_a_level() -> None:
    found = collect((1 << 20) * 11 // 10)
    assert len(found.features) == len(found.levels) == found.targets.sum()
    assert 0 < len(found.targets) <= 10
    assert len(found.targets) == len(found.minimum) == len(found.best)
    assert (found.best <= found.minimum).all()
    assert (found.features[:, FEATURES.index("level")] == found.levels).all()
    again = collect((1 << 20) * 11 // 10)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_samples_need_a_capacity() -> None:
    with pytest.raises(InvalidOptionError, match="capacity"):
        collect(None)
    with pytest.raises(InvalidOptionError, match="capacity"):
        look_ahead(instance(None))


def test_what_ends_soonest_on_trial_is_followed_to_the_end() -> None:
    problem = instance((1 << 20) * 11 // 10)
    alone = look_ahead(problem, most=0)
    found = look_ahead(problem, trial_steps=2000, steps=10_000)
    assert len(alone.targets) == 0
    assert len(found.features) == len(found.costs) == found.targets.sum() > 0
    assert ((found.costs > 0) & (found.costs <= 2000)).all()
    assert found.solved
    # Each backtrack takes the way of least steps, so the rest is no longer than that of the last.
    assert found.costs[-found.targets[-1] :].min() <= found.steps
    assert not alone.solved or found.steps <= alone.steps
    again = look_ahead(problem, trial_steps=2000, steps=10_000)
    assert (again.solved, again.steps) == (found.solved, found.steps)


def test_a_table_that_is_wrong_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidOptionError, match="line 2: 'forest' is not known"):
        plan(
            instance(None),
            planner="telamalloc",
            parameters={"target": "model", "table": "telamalloc targets 1\nforest"},
        )
