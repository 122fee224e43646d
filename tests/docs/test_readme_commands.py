"""The README's commands of `memplan` do what it says, in a folder of their own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from xdsl_memplan.tools.cli import main

ROOT = Path(__file__).parents[2]
NEEDS_LLVM = "compare"

needs_mlir = pytest.mark.needs_mlir


def commands() -> list[list[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\.venv/bin/memplan (.*)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def test_all_are_as_shown_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for folder in ("benchmarks", "examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    ran = [words for words in commands() if words[0] != NEEDS_LLVM]
    assert [words[0] for words in ran] == ["plan", "check", "plot"]
    for words in ran:
        assert main(words) == 0, (words, capsys.readouterr().err)
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "script", ["examples/run.py", pytest.param("benchmarks/same_numbers.py", marks=needs_mlir)]
)
def test_scripts_find_xdsl_opt_where_the_environment_is_not_activated(script: str, tmp_path: Path):
    network, output = tmp_path / "net.mlir", tmp_path / "net.planned.mlir"
    network.write_text(
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}"""
    )
    beside = str(Path(sys.executable).parent)
    folders = [f for f in os.environ["PATH"].split(os.pathsep) if f != beside]
    command = [sys.executable, str(ROOT / script), str(network)]
    done = subprocess.run(
        [*command, "-o", str(output)] if script.startswith("examples") else command,
        env={**os.environ, "PATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
