import pytest

from xdsl_memplan.compat.minimalloc import Buffer, MiniMallocError, Problem


def test_solve():
    # a and b are live together in [2, 4); c starts when a ends.
    buffers = [Buffer("a", 0, 4, 600), Buffer("b", 2, 6, 400, 0), Buffer("c", 4, 9, 600, 4)]
    assert Problem(buffers, 1000).solve(planner="first-fit-by-size") == [0, 600, 0]


def test_too_small():
    with pytest.raises(
        MiniMallocError,
        match="no plan for 7 bytes: this one takes 8, 1 too many; at least 8 are needed",
    ):
        Problem([Buffer("a", 0, 1, 8)], 7).solve()
