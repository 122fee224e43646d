"""`memplan bench` refuses what cannot be measured or written before anything runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from xdsl_memplan.tools.benchmark import session
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance
from xdsl_memplan.tools.benchmark.measure import Run
from xdsl_memplan.tools.cli import main

EARLIER = "runs of an hour"


@pytest.fixture
def problem(tmp_path: Path) -> str:
    path = tmp_path / "in.csv"
    path.write_text("id,lower,upper,size\na,0,4,600\nb,2,6,400\n")
    return str(path)


def test_a_folder_without_problems_leaves_earlier_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output, folder = tmp_path / "bench.json", tmp_path / "folder"
    output.write_text(EARLIER)
    folder.mkdir()
    (folder / "readme.txt").touch()
    assert main(["bench", str(folder), "--no-peers", "-o", str(output)]) == 1
    assert f"{folder}: no .csv file is in this folder" in capsys.readouterr().err
    assert output.read_text() == EARLIER


@pytest.mark.parametrize("option", ["--output", "--report", "--figure"])
def test_a_folder_cannot_be_written(
    option: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder, output = tmp_path / "folder", tmp_path / "bench.json"
    folder.mkdir()
    arguments = ["bench", problem, "--no-peers", "-o", str(output), option, str(folder)]
    assert main(arguments) == 1
    assert f"{folder}: it is a folder" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("option", "value", "least"),
    [
        ("--repetitions", "0", "whole number of at least 1"),
        ("--threads", "-1", "whole number of at least 0"),
        ("--threads", "1.5", "whole number of at least 0"),
        ("--seconds", "-1", "number of at least 0"),
        ("--seconds", "inf", "number of at least 0 and at most 1e+06"),
        ("--minutes", "nan", "number of at least 0"),
        ("--minutes", "soon", "number of at least 0"),
        ("--threads", "99999", "whole number of at least 0 and at most 65535"),
        ("--threads", "٣", "whole number of at least 0 and at most 65535"),
    ],
)
def test_numbers_that_there_cannot_be(
    option: str, value: str, least: str, problem: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        main(["bench", problem, f"{option}={value}"])
    assert f"{value}' is not a {least}" in capsys.readouterr().err


RUN = {
    "instance": "in",
    "group": "mine",
    "buffers": 2,
    "load": 1000,
    "capacity": 1000,
    "contender": "first-fit-by-size",
    "side": "ours",
    "searches": False,
    "status": "ok",
}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], "it holds no runs of a benchmark"),
        ({"lines": []}, "it holds no runs of a benchmark"),
        ({"runs": {"a": 1}}, "it holds no runs of a benchmark"),
        ({"runs": [RUN, 3]}, "run 1 is no object"),
        ({"runs": [RUN | {"host": "a"}]}, "run 0 has 'host', which no run has"),
        ({"runs": [{k: v for k, v in RUN.items() if k != "load"}]}, "run 0 has no 'load'"),
        ({"runs": [RUN | {"peak": "1"}]}, "run 0 has a 'peak' that cannot be: '1'"),
        ({"runs": [RUN | {"searches": 0}]}, "run 0 has a 'searches' that cannot be: 0"),
        ({"runs": [RUN | {"status": "fine"}]}, "run 0 has a 'status' that cannot be: 'fine'"),
    ],
)
def test_what_is_no_earlier_session_is_named_and_left(
    content: Any, reason: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "bench.json"
    text = json.dumps(content)
    output.write_text(text)
    assert main(["bench", problem, "--no-peers", "--resume", "-o", str(output)]) == 1
    assert f"memplan: {output}: {reason}" in capsys.readouterr().err
    assert output.read_text() == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"runs of an hour", "1:1: not JSON: Expecting value"),
        (b"\xff\xfe", "1:1: not JSON: 'utf-8' codec can't decode"),
        (b"[" * 100_000, "1:1: lists within lists without end"),
    ],
)
def test_what_is_no_json_is_no_earlier_session(
    content: bytes, reason: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "bench.json"
    output.write_bytes(content)
    assert main(["bench", problem, "--no-peers", "--resume", "-o", str(output)]) == 1
    assert f"memplan: {output}:{reason}" in capsys.readouterr().err
    assert output.read_bytes() == content


def test_an_interrupt_shows_what_there_is_and_fails(
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    output, measured = tmp_path / "bench.json", session.measure
    begun: list[str] = []

    def interrupted(contender: Contender, instance: BenchmarkInstance, limits: Limits) -> Run:
        begun.append(contender.name)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return measured(contender, instance, limits)

    monkeypatch.setattr(session, "measure", interrupted)
    assert main(["bench", problem, "--no-peers", "--only", "fit", "-o", str(output)]) == 130
    printed = capsys.readouterr()
    assert begun[0] in printed.out
    assert f"all 1 runs are in {output}; --resume goes on" in printed.out.replace("\n", "")
    assert "interrupted" in printed.err
    assert [run.contender for run in session.load_runs(output)] == begun[:1]


@pytest.mark.parametrize(("fails", "status"), [(True, 1), (False, 0)])
def test_it_fails_if_nobody_has_a_plan(
    fails: bool, status: int, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def measured(contender: Contender, instance: BenchmarkInstance, *_: Any) -> Run:
        run = Run.left_out(contender, instance, "")
        return replace(run, status="error" if fails else "ok", peak=None if fails else 1000)

    monkeypatch.setattr(session, "measure", measured)
    output = str(tmp_path / "bench.json")
    assert main(["bench", problem, "--no-peers", "-o", output]) == status
