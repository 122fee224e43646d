import json
from pathlib import Path

import pytest

from xdsl_memplan.tools.cli import main

GRAPH = str(Path(__file__).parent.parent / "data" / "graphs" / "vit_b_16.json")


def test_least_traffic(capsys: pytest.CaptureFixture[str]):
    assert main(["schedule", GRAPH, "--capacity", "M_R"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["traffic"], found["bound"], found["stop"]) == (3631104, 3631104, "optimal")
    assert len(found["order"]) == 125


def test_peak_is_the_default_without_capacity(capsys: pytest.CaptureFixture[str]):
    assert main(["schedule", GRAPH, "-q"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["peak"] == 1361664
    assert captured.err == ""


def test_curve_and_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    figure, plans = tmp_path / "curve.png", tmp_path / "plans.json"
    curve = ["--curve", "3", "--figure", str(figure), "-o", str(plans)]
    assert main(["schedule", GRAPH, *curve]) == 0
    assert "3631104" in capsys.readouterr().out
    assert figure.stat().st_size > 0
    found = json.loads(plans.read_text(encoding="utf-8"))
    assert [plan["capacity"] for plan in found] == [1210368, 1286016, 1361664]
    assert [plan["bound"] for plan in found] == [3631104, 3631104, 0]


def test_a_name_is_shown_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    document = json.loads(Path(GRAPH).read_text(encoding="utf-8")) | {"name": "[/b] :dog:"}
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps(document))
    assert main(["schedule", str(graph)]) == 0
    assert "[/b] :dog:" in capsys.readouterr().err


def test_user_mistakes(capsys: pytest.CaptureFixture[str]):
    assert main(["schedule", GRAPH, "--capacity", "1000"]) == 1
    assert "reads and makes 1210368 bytes" in capsys.readouterr().err
    assert main(["schedule", GRAPH, "--objective", "traffic"]) == 1
    assert "needs --capacity" in capsys.readouterr().err
    assert main(["schedule", "nowhere.json"]) == 1
    assert "nowhere.json" in capsys.readouterr().err
    assert main(["schedule", GRAPH, "--figure", "curve.png"]) == 1
    assert "--figure draws a curve: it needs --curve" in capsys.readouterr().err
    assert main(["schedule", GRAPH, "--curve", "3", "--capacity", "M_R"]) == 1
    assert "leave out --capacity" in capsys.readouterr().err
    assert main(["schedule", GRAPH, "--capacity=-1"]) == 1
    assert "'-1' is not a size in bytes" in capsys.readouterr().err
    assert main(["schedule", GRAPH, "--max-states", "-1"]) == 1
    assert "max_states -1 is not an integer in 0 .. 2^63 - 1" in capsys.readouterr().err


def test_bounds_are_checked(capsys: pytest.CaptureFixture[str]):
    for objective, bound in (("traffic", 3631104), ("traffic-fixed-order", 3631104)):
        options = ["--capacity", "M_R", "--objective", objective, "--check-bound", "1000"]
        assert main(["schedule", GRAPH, *options]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["bound_checked"] == bound
        assert "bound checked" in captured.err
