"""`memplan check` exits with 0 only where everything that was asked for is so."""

import json
from pathlib import Path
from typing import Any

import pytest

from xdsl_memplan.tools.cli import main

GRAPH = str(Path(__file__).parent.parent / "data" / "graphs" / "vit_b_16.json")
PROBLEM = "id,lower,upper,size\na,0,4,600\nb,2,6,400\nc,5,9,600\n"
PLAN = "id,lower,upper,size,offset\na,0,4,600,0\nb,2,6,400,600\nc,5,9,600,0\n"


@pytest.mark.parametrize(
    ("plan", "options", "message"),
    [
        (PLAN, [], None),
        (PLAN, ["--capacity", "1000"], None),
        (PLAN, ["--of", "{}/in.csv"], None),
        (PLAN, ["--capacity", "999"], "buffer b ({}/plan.csv:3) ends at 1000, above the capacity"),
        (PLAN.replace(",600\nc", ",599\nc"), [], "buffers a ({}/plan.csv:2) and b"),
        (PLAN.replace(",600\nc", ",\nc"), [], "buffer b ({}/plan.csv:3) has no offset"),
        (PROBLEM, [], "buffer a ({}/plan.csv:2) has no offset"),
        # The plan's own sizes are smaller than those of the problem.
        (
            PLAN.replace("a,0,4,600", "a,0,4,500").replace("400,600", "400,500"),
            ["--of", "{}/in.csv"],
            "buffers a ({}/in.csv:2) and b ({}/in.csv:3) conflict and share bytes",
        ),
        (PLAN.replace("b,2", "x,2"), ["--of", "{}/in.csv"], "buffer b is in one of"),
    ],
)
def test_plans(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    plan: str,
    options: list[str],
    message: str | None,
):
    (tmp_path / "in.csv").write_text(PROBLEM)
    (tmp_path / "plan.csv").write_text(plan)
    arguments = [option.format(tmp_path) for option in options]
    assert main(["check", str(tmp_path / "plan.csv"), *arguments]) == (message is not None)
    out, err = capsys.readouterr()
    if message is None:
        assert "3 buffers, no overlap, peak 1000 bytes" in out
    else:
        assert message.format(tmp_path, tmp_path) in err


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "schedule.json"
    assert main(["schedule", GRAPH, "--capacity", "M_R", "-q", "-o", str(path)]) == 0
    return path, json.loads(path.read_text())


def test_schedules(written: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]):
    path, _ = written
    assert main(["check", str(path), "--of", GRAPH]) == 0
    assert "traffic 3631104 bytes, fits into 1210368; bound 3631104 not" in capsys.readouterr().out
    assert main(["check", str(path), "--of", GRAPH, "--bound", "1000"]) == 0
    assert "bound 3631104 proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"traffic": 3631103}, [], "peak, load and traffic are"),
        ({"bound": 3631105}, [], "is below its bound"),
        ({"capacity": 1000}, [], "the capacity is 1000"),
        ({}, ["--capacity", "1MiB"], "the capacity is 1048576"),
        ({"stays": []}, [], "is not on chip while"),
        ({"order": ["nobody"]}, [], "order: operator 'nobody' is not in the graph"),
        ({"peak": 1.5}, [], "peak is 1.5, not an integer"),
        ({"parts": [[], 5]}, [], "'parts[1]' is no list"),
        ({"objective": "beauty"}, [], "objective 'beauty' is not peak or traffic"),
        ({"in_order": 1}, [], "in_order is 1, not true or false"),
        # Nothing can be proved with no state, and that is not success.
        ({}, ["--bound", "0"], "of the bound 3631104 only 0 was proved again"),
    ],
)
def test_wrong_schedules(
    written: tuple[Path, dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    options: list[str],
    message: str,
):
    path, document = written
    path.write_text(json.dumps(document | changes))
    assert main(["check", str(path), "--of", GRAPH, *options]) == 1
    assert message in capsys.readouterr().err


def test_an_unproved_bound_fails_the_schedule_command_too(capsys: pytest.CaptureFixture[str]):
    assert main(["schedule", GRAPH, "--capacity", "M_R", "-q", "--check-bound", "0"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["bound_checked"] == 0
    assert "only 0 was proved again" in err


def test_a_graph_that_makes_a_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tensors = [
        {"id": "x", "bytes": 4, "kind": "input"},
        {"id": "w", "bytes": 4, "kind": "parameter"},
    ]
    ops = [{"name": "p", "inputs": ["x"], "outputs": ["w"]}]
    path = tmp_path / "g.json"
    path.write_text(json.dumps({"tensors": tensors, "ops": ops}))
    for options in ([], ["--parameters"]):
        assert main(["schedule", str(path), *options]) == 1
        assert "operator 'p' makes 'w', which is there from the start" in capsys.readouterr().err
