from pathlib import Path

import pytest

from xdsl_memplan.tools.cli import main

CSV = "id,lower,upper,size\na,0,4,600\nb,2,6,400\nc,5,9,600\n"


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    file = tmp_path / "in.csv"
    file.write_text(CSV)
    return file


def test_offsets_to_stdout_summary_to_stderr(csv_file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", str(csv_file), "--planner", "first-fit-by-size"]) == 0
    out, err = capsys.readouterr()
    # a and c never meet and share offset 0; b meets both and lies above.
    assert out == "id,lower,upper,size,offset\na,0,4,600,0\nb,2,6,400,600\nc,5,9,600,0\n"
    assert "1000 bytes" in err
    assert "optimal" in err


def test_too_small_a_memory(csv_file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", str(csv_file), "--capacity", "900", "-q"]) == 1
    message = "nothing fits into 900 bytes (proved): at least 1000 bytes are needed, 100 too many"
    assert message in capsys.readouterr().err


def test_output_file(csv_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "out.csv"
    assert main(["plan", str(csv_file), "-q", "-o", str(out)]) == 0
    assert out.read_text().startswith("id,lower,upper,size,offset\na,0,4,600,0\n")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "no-such-file.csv"], "no-such-file.csv: No such file"),
        (["plan", "{}", "--planner", "magic"], "unknown planner 'magic'; known planners: "),
        (["plan", "{}", "--set", "x"], "--set x: write NAME=VALUE"),
    ],
)
def test_mistakes_are_one_line(
    csv_file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
):
    assert main([argument.format(csv_file) for argument in arguments]) == 1
    err = capsys.readouterr().err
    assert message in err
    assert err.startswith("memplan: ")
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_full_disk(csv_file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", str(csv_file), "-q", "-o", "/dev/full"]) == 1
    assert capsys.readouterr().err == "memplan: what is written: No space left on device\n"
