"""What the entry point costs, and what it breaks, for everybody who starts xdsl-opt: nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.universe import XDSL_UNIVERSE, Universe

BINARIES = Path(sys.executable).parent

NO_TENSORS = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}\n"
LINALG = """
func.func @f(%x: memref<4xf32>) {
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  func.return
}
"""

# Put in front of everything by Python itself: importing what is named in BROKEN fails.
SITECUSTOMIZE = """
import importlib.abc, os, sys

class Broken(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in os.environ["BROKEN"].split(","):
            raise ImportError(f"{name} is broken on purpose")

sys.meta_path.insert(0, Broken())
"""


def xdsl_opt(
    tmp_path: Path, broken: str, source: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run stock xdsl-opt where importing the modules `broken` (comma between them) fails."""
    (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "BROKEN": broken}
    return subprocess.run(
        [BINARIES / "xdsl-opt", *arguments],
        input=source,
        capture_output=True,
        text=True,
        env=environment,
    )


EVERYTHING = ",".join(
    f"xdsl_memplan.{name}"
    for name in ("_idealloc", "analysis", "dialects", "formats", "model", "planners", "scheduling",
                 "targets", "tools", "transforms")
)  # fmt: skip


def test_importing_the_universe_loads_two_modules_of_ours_and_no_library():
    script = (
        "import sys, xdsl.universe\n"
        "import importlib.metadata, warnings\n"
        "before = set(sys.modules)\n"
        "import xdsl_memplan.universe\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout.split() == ["xdsl_memplan", "xdsl_memplan.universe"], result.stderr


@pytest.mark.parametrize("broken", ["xdsl_memplan._idealloc", EVERYTHING])
def test_other_users_do_not_notice_that_ours_is_broken(tmp_path: Path, broken: str):
    result = xdsl_opt(tmp_path, broken, NO_TENSORS, "-p", "canonicalize")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "func.return" in result.stdout


def test_users_of_linalg_get_the_stock_dialect_and_a_warning(tmp_path: Path):
    result = xdsl_opt(tmp_path, EVERYTHING, LINALG)
    assert result.returncode == 0, result.stderr
    assert "linalg.add" in result.stdout
    assert "xdsl_memplan does not extend linalg" in result.stderr


def test_help_lists_our_passes_without_loading_them(tmp_path: Path):
    result = xdsl_opt(tmp_path, EVERYTHING, "", "--help")
    assert result.returncode == 0, result.stderr
    # However the help breaks its lines.
    assert "memplan-assign-offsets" in "".join(result.stdout.split())


def test_dialects_parse_without_the_compiled_module(tmp_path: Path):
    source = "memplan.arena @L2\n" + LINALG.replace("linalg.add", "linalg.div")
    result = xdsl_opt(tmp_path, "xdsl_memplan._idealloc", source)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


def test_a_pass_whose_module_is_broken_says_so(tmp_path: Path):
    result = xdsl_opt(tmp_path, EVERYTHING, NO_TENSORS, "-p", "memplan-verify")
    assert result.returncode != 0
    assert "xdsl_memplan.transforms is broken on purpose" in result.stderr


def test_stock_operations_win():
    """An operation that xDSL has is not defined a second time."""
    operations = [op.name for op in Universe.get_multiverse().all_dialects["linalg"]().operations]
    assert len(operations) == len(set(operations))
    assert "linalg.batch_matmul" in operations
    assert "linalg" in XDSL_UNIVERSE.all_dialects
