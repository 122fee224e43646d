"""Errors of the core name buffers as the user does: by id, and by line of the file."""

import io

import numpy as np
import pytest

from xdsl_memplan import Problem, plan
from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.check import PlanError, check_plan
from xdsl_memplan.planners.check import check_with_core
from xdsl_memplan.planners.errors import InvalidPlanError, InvalidProblemError


def read(text: str) -> Problem:
    return read_problem(io.StringIO(text, newline=""), "f.csv")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("weights,0,9,4,3-12,1,", "buffer weights (f.csv:4): gap [3, 12) is empty or outside"),
        ("weights,0,9,4,3-5 4-6,1,", "buffer weights (f.csv:4): its gaps overlap"),
        ("weights,0,9,4,,8,4", "buffer weights (f.csv:4): fixed offset 4 at base address 0"),
        (
            "weights,0,9,4,,1,2",
            "buffers input (f.csv:2) and weights (f.csv:4) conflict and share bytes: "
            "their offsets are fixed",
        ),
    ],
)
def test_of_a_file(row: str, message: str):
    # Line 3 is empty.
    text = f"id,lower,upper,size,gaps,alignment,offset\ninput,0,4,8,,1,0\n\n{row}\n"
    with pytest.raises(InvalidProblemError) as caught:
        plan(read(text))
    assert str(caught.value).startswith(message)
    assert caught.value.args == (str(caught.value),)


def test_of_arrays():
    column = np.array([5, -3], dtype=np.int64)
    problem = Problem(column, column, column + 9, ids=["a", "b"])
    with pytest.raises(InvalidProblemError, match=r"^buffer b: size -3 is negative$"):
        plan(problem)


def test_of_checkers():
    problem = read("id,lower,upper,size\nx,0,3,8\ny,1,3,4\n")
    message = r"buffers x \(f.csv:2\) and y \(f.csv:3\) conflict and share bytes"
    with pytest.raises(InvalidPlanError, match=message):
        check_with_core(problem, np.array([0, 4]))
    with pytest.raises(PlanError, match=message):
        check_plan(problem, np.array([0, 4]))
