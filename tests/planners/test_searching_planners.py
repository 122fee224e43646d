"""What the searching planners promise, across the boundary to the core."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Buffer, Problem
from xdsl_memplan.planners.errors import InvalidOptionError
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.planners.registry import planners

SEARCHING = ("auto", "idealloc")


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    def buffer(i: int) -> Buffer:
        start, life = draw(st.integers(-20, 20)), draw(st.integers(0, 15))
        gaps: tuple[Lifetime, ...] = ()
        if life > 4 and draw(st.booleans()):
            gaps = (Lifetime(start + 1, start + draw(st.integers(2, life - 1))),)
        return Buffer(
            str(i),
            draw(st.integers(0, 100)),
            Lifetime(start, start + life),
            alignment=draw(st.sampled_from([1, 2, 3, 8])),
            gaps=gaps,
        )

    count = draw(st.integers(0, 25))
    return Problem.from_buffers(
        [buffer(i) for i in range(count)], base_address=draw(st.integers(0, 9))
    )


def assert_valid(problem: Problem, offsets: np.ndarray) -> None:
    """Every tick, every byte, by plain sets."""
    base = problem.pools[0].base_address
    gaps = {(b, t) for b, start, end in problem.gaps for t in range(start, end)}
    taken: dict[tuple[int, int], int] = {}
    for i in range(len(problem)):
        size, offset = int(problem.sizes[i]), int(offsets[i])
        if size and problem.alignments is not None:
            assert (base + offset) % int(problem.alignments[i]) == 0
        for tick in range(int(problem.starts[i]), int(problem.ends[i])):
            if (i, tick) in gaps:
                continue
            for byte in range(offset, offset + size):
                assert taken.setdefault((tick, byte), i) == i


@settings(max_examples=40, deadline=None)
@given(problems(), st.sampled_from(SEARCHING))
def test_plans_are_valid_and_not_below_the_bound(problem: Problem, planner: str) -> None:
    result = plan(problem, planner=planner, effort="low")
    assert_valid(problem, result.offsets)
    assert result.peak >= result.bound >= result.load
    assert (result.stop == "optimal") == (result.peak == result.bound)


@pytest.mark.parametrize("planner", SEARCHING)
def test_threads_do_not_change_a_byte(planner: str) -> None:
    problem = mixed_lifetimes(600, 5)
    one, two = (plan(problem, planner=planner, effort="low", threads=n) for n in (1, 2))
    assert one.peak == two.peak
    assert one.statistics == two.statistics
    np.testing.assert_array_equal(one.offsets, two.offsets)


def test_auto_is_listed_first() -> None:
    assert [info.name for info in planners()][:3] == ["auto", "exact", "idealloc"]


@pytest.mark.parametrize("planner", SEARCHING)
def test_unknown_parameter_is_named(planner: str) -> None:
    with pytest.raises(InvalidOptionError, match="lifes=3; known: restarts=tree"):
        plan(mixed_lifetimes(5), planner=planner, parameters={"lifes": "3"})


def test_all_alive_at_once() -> None:
    n = 200_000
    problem = Problem(
        sizes=np.arange(1, n + 1),
        starts=np.zeros(n, dtype=np.int64),
        ends=np.ones(n, dtype=np.int64),
    )
    assert plan(problem, effort="low").stop == "optimal"
