import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.minimalloc_csv import read_problem, write_plan, write_problem
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan


def read(text: str) -> Problem:
    return read_problem(io.StringIO(text, newline=""), "f.csv")


def test_columns_in_any_order():
    problem = read("size,id,upper,lower\n8,a,3,1\n4,b,2,0\n")
    assert problem.sizes.tolist() == [8, 4]
    assert problem.starts.tolist() == [1, 0]
    assert problem.ends.tolist() == [3, 2]
    assert list(problem.ids) == ["a", "b"]
    assert problem.alignments is None


@pytest.mark.parametrize("title", ["id", '"id"'])
def test_a_byte_order_mark_is_left_out(title: str):
    assert read(f"\ufeff{title},lower,upper,size\na,0,1,4\n").ids == ["a"]


def test_optional_columns():
    problem = read(
        "id,lower,upper,size,alignment,gaps,offset\na,0,10,8,4,2-3 5-7,\nb,0,2,4,1,,16\n"
    )
    assert problem.alignments is not None
    assert problem.alignments.tolist() == [4, 1]
    assert problem.gaps == [(0, 2, 3), (0, 5, 7)]
    assert problem.fixed == [(1, 16)]


def test_an_end_column_is_inclusive():
    problem = read("buffer_id,start,end,size\na,0,4,1\n")
    assert problem.ends.tolist() == [5]


@pytest.mark.parametrize("start", ["lower", "start", "begin"])
def test_an_inclusive_end_goes_for_gaps_too(start: str):
    problem = read(f"id,{start},end,size,gaps\na,0,9,4,3-5\n")
    assert (problem.starts.tolist(), problem.ends.tolist()) == ([0], [10])
    assert problem.gaps == [(0, 3, 6)]


def test_negative_ticks_in_gaps_come_back():
    text = "id,lower,upper,size,gaps\na,-5,2,4,-4--2 0-1\n"
    problem = read(text)
    assert problem.gaps == [(0, -4, -2), (0, 0, 1)]
    out = io.StringIO()
    write_problem(problem, out)
    assert out.getvalue() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.csv:1:1: the file is empty; expected id,lower,upper,size"),
        ("id,lower,size\n", "f.csv:1:1: no column 'upper'"),
        ("id,lower,upper,size,size\n", "f.csv:1:21: column 'size' comes twice"),
        ("id,lower,upper,size\na,0,1\n", "f.csv:2:1: 3 cells, the header has 4"),
        ("id,lower,upper,size\na,0,1,1\nb,0,x,1\n", "f.csv:3:5: upper 'x' is not an integer"),
        (
            "id,lower,upper,size\na,0,1,-1\n",
            "f.csv:2:7: size -1 is not in 0 .. 9223372036854775807",
        ),
        (f"id,lower,upper,size\na,0,1,{2**63}\n", "f.csv:2:7: size 9223372036854775808 is not in"),
        ("id,lower,upper,size\na,0,1,1.5\n", "f.csv:2:7: size '1.5' is not an integer"),
        # Python reads these as 1000 and 3, the Rust reader does not.
        ("id,lower,upper,size\na,0,1,1_000\n", "f.csv:2:7: size '1_000' is not an integer"),
        ("id,lower,upper,size\na,0,٣,1\n", "f.csv:2:5: upper '٣' is not an integer"),
        (
            "id,lower,upper,size,offset\na,0,1,1,1_0\n",
            "f.csv:2:9: offset '1_0' is not an integer",
        ),
        ("id,lower,upper,size\na,5,1,1\n", "f.csv:2:5: the lifetime ends before it starts at 5"),
        ("id,lower,upper,size\na,0,1,1\na,0,1,1\n", "f.csv:3:1: buffer id 'a' is also in line 2"),
        ("id,lower,upper,size,alignment\na,0,1,1,0\n", "f.csv:2:9: alignment 0 is not in 1 .."),
        ("id,lower,upper,size,gaps\na,0,9,1,3\n", "f.csv:2:9: gap '3' is not of the form 3-5"),
        ("id,lower,upper,size,gaps\na,0,9,1,3-5@0-2\n", "windows (@) inside a gap"),
        (
            f"id,lower,upper,size,gaps\na,0,9,1,3-{10**20}\n",
            f"f.csv:2:9: gaps {10**20} is not in -{2**63} .. {2**63 - 1}",
        ),
        # One past the last tick would be 2^63.
        (
            f"id,start,end,size\na,0,{2**63 - 1},4\n",
            f"f.csv:2:5: upper {2**63 - 1} is not in -{2**63} .. {2**63 - 2}",
        ),
        ("id,start,begin,upper,size\n", "f.csv:1:10: column 'begin' comes twice"),
    ],
)
def test_errors_say_where(text: str, message: str):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)


def test_plan_keeps_what_the_file_had():
    text = "id,lower,upper,size,alignment,gaps\na,0,10,8,4,2-3 5-7\nb,1,2,4,2,\n"
    problem = read(text)
    out = io.StringIO()
    write_problem(problem, out)
    assert out.getvalue() == text


def test_offsets_are_appended():
    problem = read("id,lower,upper,size\nx,0,2,8\ny,1,3,4\n")
    out = io.StringIO()
    write_plan(problem, plan(problem, planner="first-fit-by-size"), out)
    # x is larger and goes to 0; y is live with it and goes on top.
    assert out.getvalue() == "id,lower,upper,size,offset\nx,0,2,8,0\ny,1,3,4,8\n"


buffers = st.tuples(
    st.integers(-(2**40), 2**40), st.integers(0, 2**40), st.integers(0, 2**50), st.integers(1, 99)
)


@given(st.lists(buffers, max_size=20))
def test_round_trip(rows: list[Any]):
    array = np.array(rows, dtype=np.int64).reshape(-1, 4)
    problem = Problem(array[:, 2], array[:, 0], array[:, 0] + array[:, 1], array[:, 3])
    out = io.StringIO()
    write_problem(problem, out)
    again = read(out.getvalue())
    assert again.sizes.tolist() == problem.sizes.tolist()
    assert again.starts.tolist() == problem.starts.tolist()
    assert again.ends.tolist() == problem.ends.tolist()
