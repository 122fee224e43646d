"""`memplan bench` refuses what cannot be measured or written before anything runs."""

from pathlib import Path

import pytest

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
        ("--minutes", "nan", "number of at least 0"),
        ("--minutes", "soon", "number of at least 0"),
    ],
)
def test_numbers_that_there_cannot_be(
    option: str, value: str, least: str, problem: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        main(["bench", problem, f"{option}={value}"])
    assert f"{value}' is not a {least}" in capsys.readouterr().err
