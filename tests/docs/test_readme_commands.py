"""The README's commands of `memplan` do what it says, in a folder of their own."""

import re
import shlex
from pathlib import Path

import pytest

from xdsl_memplan.tools.cli import main

ROOT = Path(__file__).parents[2]
NEEDS_LLVM = "compare"


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
