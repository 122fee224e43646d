"""What is not an integer of 64 bits is refused, never rounded, cut or wrapped."""

from typing import Any

import numpy as np
import pytest

from xdsl_memplan import Buffer, Lifetime, Pool, Problem, plan
from xdsl_memplan.model.check import check_plan
from xdsl_memplan.model.integers import int64_array
from xdsl_memplan.planners.check import check_with_core


def a(*values: int):
    return np.array(values, dtype=np.int64)


def two(**changes: Any) -> Problem:
    return Problem(**{"sizes": a(4, 4), "starts": a(0, 1), "ends": a(2, 3)} | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # 1.9 and 2.9 were cut to 1 and 2.
        ({"sizes": np.array([1.9, 2.9])}, r"sizes\[0\] is .*1.9.*, not an integer"),
        ({"sizes": [4, 2.5]}, r"sizes\[1\] is 2.5, not an integer"),
        ({"sizes": np.array([1 + 2j, 3])}, r"sizes\[0\] is .*\(1\+2j\).*, not an integer"),
        ({"sizes": np.array(["4", "5"])}, r"sizes\[0\] is .*'4'.*, not an integer"),
        ({"sizes": np.array([True, False])}, r"sizes\[0\] is True, not an integer"),
        # NumPy makes ones of these.
        ({"sizes": [True, 4]}, r"sizes\[0\] is True, not an integer"),
        ({"sizes": (4, np.True_)}, r"sizes\[1\] is True, not an integer"),
        ({"conflict_pairs": [[0, True]]}, r"conflict_pairs\[0\]\[1\] is True, not an integer"),
        ({"fixed": [(0, True), (1, 8)]}, r"fixed\[0\]\[1\] is True, not an integer"),
        ({"sizes": np.array([1, None])}, r"sizes\[1\] is None, not an integer"),
        ({"sizes": a(4, 4).reshape(2, 1)}, r"sizes has the shape \(2, 1\), not \(n,\)"),
        # [0, 1.9) and [1.5, 3) overlap, [0, 1) and [1, 3) do not.
        ({"starts": np.array([0, 1.5])}, r"starts\[0\] is .*0.0.*, not an integer"),
        # 2^63 + 5 wrapped around to a negative start.
        (
            {"starts": np.array([1, 2**63 + 5], np.uint64)},
            rf"starts\[1\] is {2**63 + 5}, not in -{2**63} .. {2**63 - 1}",
        ),
        # NumPy makes floats of these.
        ({"starts": [2**63, -1]}, rf"starts\[0\] is {2**63}, not in"),
        ({"sizes": [4, [5]]}, "sizes has rows of different lengths"),
        ({"conflict_pairs": [[0, 1], [1]]}, "conflict_pairs has rows of different lengths"),
        ({"ends": None}, r"ends has the shape \(\), not \(n,\)"),
        ({"conflict_relation": 5}, "conflict_relation is 5, not one of lifetimes, pairs"),
        ({"ends": a(1)}, "sizes has 2 entries, ends has 1"),
        ({"alignments": np.array([1.0, 8.0])}, r"alignments\[0\] is .*1.0.*, not an integer"),
        ({"ids": ["a"]}, "sizes has 2 entries, ids has 1"),
        ({"conflict_pairs": np.array([[0, 1, 1]])}, r"conflict_pairs has the shape \(1, 3\)"),
        ({"conflict_pairs": a(1, 0, 1)}, r"conflict_pairs has the shape \(3,\), not \(m, 2\)"),
        ({"conflict_pairs": np.array([[0.0, 1.0]])}, r"conflict_pairs\[0\]\[0\] is"),
        ({"conflict_pairs": a(0, 1, 1, 2).reshape(2, 2)}, r"conflict_pairs\[1\] is \[1, 2\], of 2"),
        ({"fixed": [(0, 4.0)]}, r"fixed\[0\]\[1\] is .*4.0.*, not an integer"),
        ({"fixed": [(1, 0), (0, -1)]}, rf"fixed\[1\]\[1\] is -1, not in 0 .. {2**63 - 1}"),
        ({"fixed": [(0, 2**63)]}, rf"fixed\[0\]\[1\] is {2**63}, not in"),
        ({"fixed": [(2, 0)]}, r"fixed\[0\] names buffer 2 of 2"),
        ({"fixed": [(0, 0, 0)]}, r"fixed\[0\] is \(0, 0, 0\), not 2 integers"),
        ({"fixed": [0]}, r"fixed\[0\] is 0, not 2 integers"),
        ({"gaps": [(0, 0, 1), (0, 1)]}, r"gaps\[1\] is \(0, 1\), not 3 integers"),
        ({"gaps": [(0, 0.5, 1)]}, r"gaps\[0\]\[1\] is .*0.5.*, not an integer"),
        ({"candidates": [(0, 1)]}, r"candidates\[0\] names pool 1 of 1"),
        ({"candidates": [(-1, 0)]}, r"candidates\[0\] names buffer -1 of 2"),
    ],
)
def test_a_problem_refuses(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        two(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"capacity": -1}, "the capacity of memory is -1, not in 0 .."),
        ({"capacity": 1.5}, "the capacity of memory is 1.5, not an integer"),
        ({"base_address": 2**63}, f"the base address of memory is {2**63}, not in 0 .."),
    ],
)
def test_a_pool_refuses(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        Pool(**changes)


def test_what_is_exact_is_taken():
    problem = two(
        sizes=[4, 4],
        starts=np.array([0, 1], np.uint8),
        ends=np.array([2, 3], np.uint64),
        fixed=np.array([[0, 4]]),
        conflict_pairs=[(0, 1)],
        pools=(Pool(capacity=np.int64(8)),),  # pyright: ignore[reportArgumentType]
    )
    assert plan(problem).offsets.tolist() == [4, 0]
    empty = plan(Problem(np.array([]), np.array([]), np.array([])))  # NumPy calls these floats.
    assert (len(empty.offsets), empty.peak) == (0, 0)
    listed = [1, 2**63 - 1]
    assert int64_array(listed, "x").tolist() == listed


def test_buffers_refuse_as_arrays_do():
    with pytest.raises(ValueError, match=r"sizes\[0\] is 1.9, not an integer"):
        Problem.from_buffers([Buffer("a", 1.9, Lifetime(0, 1))])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("check", [check_plan, check_with_core])
def test_checkers_do_not_cut_offsets(check: Any):
    # 0.5 was cut to 0, and 4 fits above 0.
    with pytest.raises(ValueError, match=r"offsets\[0\] is .*0.5.*, not an integer"):
        check(two(), np.array([0.5, 4.0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, f"seed is -1, not in 0 .. {2**64 - 1}"),
        ({"seed": 1.5}, "seed is 1.5, not an integer"),
        ({"threads": -1}, "threads is -1, not in 0 .."),
        ({"parameters": {"nodes": 5}}, "parameter nodes is 5, not a string"),
        ({"time_limit_seconds": -1.0}, "time limit -1 is not a number of seconds"),
        ({"time_limit_seconds": "soon"}, "time limit 'soon' is not a number of seconds"),
        ({"effort": "some"}, "unknown effort 'some'"),
    ],
)
def test_options_are_refused_by_name(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        plan(two(), **options)
