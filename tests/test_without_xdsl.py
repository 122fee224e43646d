"""The planner alone: what is imported, how long it takes, and that nothing else is needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

HIDE = """
import importlib.abc, sys

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("xdsl", "ortools", "rich", "matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

sys.meta_path.insert(0, Hidden())
"""

PLANS = """
from xdsl_memplan import Buffer, Lifetime, Problem, plan
from xdsl_memplan.compat import minimalloc
from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.planners.registry import planners
found = plan(Problem.from_buffers([Buffer("a", 4, Lifetime(0, 2)), Buffer("b", 4, Lifetime(1, 3))]))
assert found.peak == 8
problem = minimalloc.Problem([minimalloc.Buffer("a", 0, 2, 4), minimalloc.Buffer("b", 2, 3, 4)], 4)
assert problem.solve() == [0, 0]
assert len(planners()) > 20
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *arguments], capture_output=True, text=True
    )


def test_planning_needs_numpy_only():
    result = run(HIDE + PLANS)
    assert result.returncode == 0, result.stderr


def test_planning_loads_numpy_only():
    loaded = "import sys; print(*{'xdsl', 'ortools', 'rich', 'matplotlib'} & set(sys.modules))"
    result = run(PLANS + loaded)
    assert result.stdout.split() == [], result.stderr


@pytest.mark.parametrize("command", ["plan", "planners"])
def test_a_command_says_what_it_needs(command: str):
    result = run(
        HIDE + "from xdsl_memplan.tools.cli import main; sys.exit(main(sys.argv[1:]))", command
    )
    assert result.returncode == 1
    assert "pip install 'xdsl-memplan[all]'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("version", "warning", "passes"),
    [
        ("0.56.3", "its passes are left out", 0),
        ("0.57.0+3.g3c5c879", "", 1),
        ("0.75.0", "", 1),
        ("0.76.1", "its passes may fail", 1),
        ("unknown", "", 1),
    ],
)
def test_the_plugin_never_breaks_xdsl_opt(version: str, warning: str, passes: int):
    """Whatever version xDSL says it has, the universe is there, with one warning at most."""
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import importlib.metadata as m, sys\n"
            "class Installed:\n"
            "    def read_text(self, name): return f'Name: xdsl\\nVersion: {sys.argv[1]}\\n'\n"
            "m.distribution = lambda name: Installed()\n"
            "from xdsl_memplan.universe import MEMPLAN_UNIVERSE as u\n"
            "print(int('memplan-verify' in u.all_passes))",
            version,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) == passes
    assert result.stderr.count("xdsl_memplan knows") == bool(warning)
    assert warning in result.stderr
