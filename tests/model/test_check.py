import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xdsl_memplan.model.check import PlanError, check_plan
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Buffer, Problem
from xdsl_memplan.planners.check import check_with_core
from xdsl_memplan.planners.plan import plan


def problem(*buffers: Buffer, capacity: int | None = None, base_address: int = 0) -> Problem:
    return Problem.from_buffers(buffers, capacity=capacity, base_address=base_address)


def offsets(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


A = Buffer("a", 8, Lifetime(0, 4))
B = Buffer("b", 8, Lifetime(4, 6))
C = Buffer("c", 4, Lifetime(3, 5))


def test_touching_lifetimes_may_share():
    assert check_plan(problem(A, B), offsets(0, 0)) == 8


@pytest.mark.parametrize(
    ("given_problem", "given_offsets", "message"),
    [
        (problem(A, C), (0, 7), "buffers a and c conflict and share bytes"),
        (problem(A, C), (0,), "1 offsets for 2 buffers"),
        (problem(A, capacity=7), (0,), "buffer a ends at 8, above the capacity of memory"),
        (problem(A), (-1,), "buffer a lies outside the address space"),
        (problem(Buffer("a", 8, Lifetime(0, 4), alignment=4)), (6,), "is not aligned to 4"),
        (
            problem(Buffer("a", 8, Lifetime(0, 4), alignment=4), base_address=2),
            (4,),
            "is not aligned to 4",
        ),
        (problem(Buffer("a", 8, Lifetime(0, 4), offset=8)), (0,), "is fixed at 8 but is at 0"),
    ],
)
def test_rejected(given_problem: Problem, given_offsets: tuple[int, ...], message: str):
    with pytest.raises(PlanError, match=message):
        check_plan(given_problem, offsets(*given_offsets))


@pytest.mark.parametrize("limit", [{"alignment": 16}, {"capacity": 16}])
def test_neither_alignment_nor_capacity_hold_for_no_bytes(limit: dict[str, int]):
    alignment, capacity = limit.get("alignment", 1), limit.get("capacity")
    empty = Buffer("a", 0, Lifetime(0, 4), alignment=alignment, offset=24)
    given_problem = problem(empty, C, capacity=capacity)
    assert check_plan(given_problem, offsets(24, 0)) == 4
    assert check_with_core(given_problem, offsets(24, 0)) == 4
    assert plan(given_problem).offsets.tolist() == [24, 0]


def test_a_gap_lets_others_in():
    idle = Buffer("a", 8, Lifetime(0, 9), gaps=(Lifetime(3, 5),))
    assert check_plan(problem(idle, C), offsets(0, 4)) == 8


rows = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.integers(0, 6),
        st.integers(0, 6),
        st.integers(1, 3),
        st.integers(0, 9),
    ),
    max_size=8,
)


@given(rows)
def test_agrees_with_the_core_and_with_all_pairs(given_rows: list[tuple[int, ...]]):
    buffers = [
        Buffer(str(i), size, Lifetime(start, start + length), alignment=alignment)
        for i, (start, length, size, alignment, _) in enumerate(given_rows)
    ]
    at = [row[4] for row in given_rows]
    given_problem = problem(*buffers)
    valid = all(
        not b.size or o % b.alignment == 0 for b, o in zip(buffers, at, strict=True)
    ) and not any(
        a.lifetime.overlaps(b.lifetime) and max(x, y) < min(x + a.size, y + b.size)
        for i, (a, x) in enumerate(zip(buffers, at, strict=True))
        for b, y in list(zip(buffers, at, strict=True))[i + 1 :]
    )
    for check in (check_plan, check_with_core):
        if valid:
            peak = max((o + b.size for b, o in zip(buffers, at, strict=True) if b.size), default=0)
            assert check(given_problem, offsets(*at)) == peak
        else:
            with pytest.raises(ValueError):  # noqa: PT011 - two checkers, two messages
                check(given_problem, offsets(*at))
