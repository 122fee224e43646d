"""The examples of the documentation are run.

In every page under docs/, a line in front of a fenced block says what happens with it:

    <!-- RUN: xdsl-opt -p memplan-assign-offsets %s -->
    ```mlir
    (the input: written to a file, whose name takes the place of %s)
    ```
    <!-- OUTPUT -->
    ```mlir
    (these lines are in the output, next to each other; a line `...` stands for any lines)
    ```

`RUN: not xdsl-opt ...` expects a failure, and its OUTPUT block (```text) is looked for in the
error. A command is a line of shell; `%mlir_opt` stands for mlir-opt 22. A block of ```mlir
without RUN is parsed and verified by xdsl-opt; fragments that cannot be, are written as ```text.
Pages in docs/decisions are history and are not run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions")
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>RUN: (?P<command>.*?)|OUTPUT) -->\s*\n)?"
    r"```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Example(NamedTuple):
    page: Path
    line: int
    command: str
    source: str
    output: str | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def examples_of(page: Path) -> list[Example]:
    text = page.read_text()
    examples: list[Example] = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if block["mark"] == "OUTPUT":
            assert examples, f"{page}:{line}: OUTPUT without RUN"
            assert examples[-1].output is None, f"{page}:{line}: a second OUTPUT"
            examples[-1] = examples[-1]._replace(output=block["text"])
        elif block["command"]:
            assert "%s" in block["command"], f"{page}:{line}: RUN without %s"
            examples.append(Example(page, line, block["command"], block["text"], None))
        elif block["language"] == "mlir":
            examples.append(Example(page, line, "xdsl-opt %s", block["text"], None))
    return examples


EXAMPLES = [
    pytest.param(
        example,
        id=str(example),
        marks=[pytest.mark.needs_mlir] if "%mlir_opt" in example.command else [],
    )
    for page in PAGES
    for example in examples_of(page)
]


def contains(output: str, wanted: str) -> bool:
    """Tell whether the wanted lines are in the output, white space at the ends of lines apart."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    position = 0
    for part in re.split(r"^\s*\.\.\.\s*$", wanted, flags=re.MULTILINE):
        block = [line.strip() for line in part.splitlines() if line.strip()]
        starts = range(position, len(lines) - len(block) + 1)
        start = next((i for i in starts if lines[i : i + len(block)] == block), None)
        if start is None:
            return False
        position = start + len(block)
    return True


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: Example, tmp_path: Path):
    source = tmp_path / "example.mlir"
    source.write_text(example.source)
    must_fail = example.command.startswith("not ")
    command = example.command.removeprefix("not ").replace("%s", str(source))
    command = command.replace("%mlir_opt", os.environ.get("XDSL_MLIR_OPT", "mlir-opt-22"))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    result = subprocess.run(
        command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert (result.returncode != 0) == must_fail, f"{example}: {result.stderr}"
    if example.output is not None:
        shown = result.stderr if must_fail else result.stdout
        assert contains(shown, example.output), f"{example}: the output is\n{shown}"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("b\nc", True),
        ("a\n...\nc", True),
        ("a\nc", False),
        ("c\n...\na", False),
        ("d", False),
        ("...", True),
    ],
)
def test_contains(wanted: str, found: bool):
    assert contains("a\n  b\nc\n", wanted) == found


def test_examples_are_found():
    assert len(EXAMPLES) >= 5
