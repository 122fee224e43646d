"""The adapter for minimalloc's program, against a stand-in: no package registry has the program."""

import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan.model.problem import Pool, Problem
from xdsl_memplan.tools.benchmark.contenders import Limits
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance
from xdsl_memplan.tools.benchmark.measure import measure
from xdsl_memplan.tools.benchmark.peers import minimalloc

# Takes the program's flags and files, and stacks the buffers in reverse order of id.
STAND_IN = """\
#!{python}
import sys
given = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
assert float(given["timeout"].removesuffix("s")) > 0
rows = [line.split(",") for line in open(given["input"]).read().split()[1:]]
total = sum(int(row[3]) for row in rows)
if total > int(given["capacity"]):
    sys.exit(0)
top, lines = 0, ["id,lower,upper,size,offset"]
for row in reversed(rows):
    lines.append(",".join([*row, str(top)]))
    top += int(row[3])
open(given["output"], "w").write("\\n".join(lines) + "\\n")
"""


def instance(capacity: int) -> BenchmarkInstance:
    sizes, starts, ends = (np.array(column) for column in ([4, 6], [0, 1], [2, 3]))
    problem = Problem(sizes=sizes, starts=starts, ends=ends, pools=(Pool(capacity=capacity),))
    return BenchmarkInstance("two", "test", problem, 10, capacity, minimize=False)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "minimalloc"
    path.write_text(STAND_IN.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    return path


@pytest.mark.usefixtures("program")
def test_offsets_come_back_by_buffer():
    (peer,) = minimalloc.contenders()
    two = instance(10)
    task = peer.prepare(two.problem, Limits(seconds=5, target=10))
    # The second one is at the bottom.
    assert task.offsets(task.work()).tolist() == [6, 0]
    assert measure(peer, two, Limits(seconds=5)).peak == 10


@pytest.mark.usefixtures("program")
def test_no_plan_within_the_capacity_is_a_timeout():
    (peer,) = minimalloc.contenders()
    run = measure(peer, instance(9), Limits(seconds=5))
    assert (run.status, run.message) == ("timeout", "no solution within the time limit")


def test_without_the_program_there_is_no_peer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="minimalloc is not on PATH"):
        next(minimalloc.contenders())
