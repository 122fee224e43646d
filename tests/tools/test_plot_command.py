from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.tools.cli import main
from xdsl_memplan.tools.plot import live_bytes


def test_live_bytes():
    # 5 bytes on [0, 4), 3 on [2, 6), 2 on [4, 5): 5, 8, 3 + 2, 3, 0.
    problem = Problem(np.array([5, 3, 2]), np.array([0, 2, 4]), np.array([4, 6, 5]))
    ticks, live = live_bytes(problem)
    assert ticks.tolist() == [0, 2, 4, 5, 6]
    assert live.tolist() == [5, 8, 5, 3, 0]


def test_idle_buffers_are_not_live():
    # 10 bytes on [0, 10) but for [2, 8), where 10 others are: never more than 10.
    problem = Problem(np.array([10, 10]), np.array([0, 3]), np.array([10, 7]), gaps=[(0, 2, 8)])
    ticks, live = live_bytes(problem)
    assert ticks.tolist() == [0, 2, 3, 7, 8, 10]
    assert live.tolist() == [10, 0, 10, 0, 10, 0]


def test_idle_buffers_are_not_drawn_over_others(tmp_path: Path):
    source, picture = tmp_path / "in.csv", tmp_path / "out.svg"
    source.write_text("id,lower,upper,size,gaps,offset\na,0,10,10,2-7,0\nb,3,7,10,,0\n")
    assert main(["plot", str(source), "-o", str(picture)]) == 0
    assert "arena 10 B, most bytes live 10 B" in picture.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("error")
def test_no_buffers_are_an_empty_picture(tmp_path: Path):
    source, picture = tmp_path / "in.csv", tmp_path / "out.png"
    source.write_text("id,lower,upper,size\n")
    assert main(["plot", str(source), "-o", str(picture)]) == 0
    assert picture.exists()


def test_a_picture_is_written(tmp_path: Path):
    source, picture = tmp_path / "in.csv", tmp_path / "out.png"
    source.write_text("id,lower,upper,size\na,0,4,600\nb,2,6,400\n")
    assert main(["plot", str(source), "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_name_without_an_ending_is_the_file_that_is_written(tmp_path: Path):
    source, picture = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("id,lower,upper,size\na,0,4,600\n")
    assert main(["plot", str(source), "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert not picture.with_suffix(".png").exists()


def test_a_title_is_no_formula(tmp_path: Path):
    csv, picture = tmp_path / "in.csv", tmp_path / "out.svg"
    csv.write_text("id,lower,upper,size\na,0,2,4\n")
    assert main(["plot", str(csv), "-o", str(picture), "--title", "$1 and $x^{"]) == 0


def test_overlapping_offsets_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "in.csv"
    source.write_text("id,lower,upper,size,offset\na,0,4,600,0\nb,2,6,400,599\n")
    assert main(["plot", str(source), "-o", str(tmp_path / "out.png")]) == 1
    message = f"buffers a ({source}:2) and b ({source}:3) conflict and share bytes"
    assert message in capsys.readouterr().err
