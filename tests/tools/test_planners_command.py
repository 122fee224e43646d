"""`memplan planners` lists the registry."""

import json

import pytest

from xdsl_memplan.planners.registry import planners
from xdsl_memplan.tools.cli import main


def test_lists_every_planner_with_what_it_supports(capsys: pytest.CaptureFixture[str]):
    assert main(["planners"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for planner in planners():
        assert any(line.split()[:1] == [planner.name] for line in lines), planner.name
    tvm = next(line for line in lines if line.startswith("tvm-by-size"))
    # alignment, gaps, conflicts, pools, but no fixed offsets
    assert tvm.split()[1:5] == ["x", "x", "x", "x"]
    assert "TVM USMP greedy_by_size" in tvm


def test_json_is_complete(capsys: pytest.CaptureFixture[str]):
    assert main(["planners", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [planner["name"] for planner in listed] == [planner.name for planner in planners()]
    triton = next(planner for planner in listed if planner["name"] == "triton")
    assert triton["alignment"] is True
    assert triton["pools"] is False
