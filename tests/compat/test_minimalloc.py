import pytest

from xdsl_memplan.compat.minimalloc import Buffer, MiniMallocError, Problem


def test_solve():
    # a and b are live together in [2, 4); c starts when a ends.
    buffers = [Buffer("a", 0, 4, 600), Buffer("b", 2, 6, 400, 0), Buffer("c", 4, 9, 600, 4)]
    assert Problem(buffers, 1000).solve(planner="first-fit-by-size") == [0, 600, 0]


def test_too_small():
    with pytest.raises(MiniMallocError, match="8 bytes needed, 7 available, 1 too many"):
        Problem([Buffer("a", 0, 1, 8)], 7).solve()
