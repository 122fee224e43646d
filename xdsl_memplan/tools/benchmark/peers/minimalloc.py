"""Google's minimalloc, if it is on PATH: https://github.com/google/minimalloc, Apache-2.0."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task
from xdsl_memplan.tools.benchmark.peers.executable import executable


def contenders() -> Iterator[Contender]:
    """Yield the program, which looks for a plan within the capacity. Raises FileNotFoundError."""
    command = executable("minimalloc")

    def prepare(problem: Problem, limits: Limits) -> Task:
        folder = Path(tempfile.mkdtemp(prefix="memplan-bench-"))
        source, target = folder / "input.csv", folder / "output.csv"
        columns = (problem.starts.tolist(), problem.ends.tolist(), problem.sizes.tolist())
        rows = (
            f"{i},{start},{end},{size}\n"
            for i, (start, end, size) in enumerate(zip(*columns, strict=True))
        )
        source.write_text("id,lower,upper,size\n" + "".join(rows), encoding="utf-8")
        arguments = [
            command,
            f"--capacity={limits.target}",
            f"--input={source}",
            f"--output={target}",
            f"--timeout={limits.seconds}s",
        ]

        def work() -> Path:
            subprocess.run(arguments, capture_output=True, check=True)
            return target

        def read(path: Path) -> Int64Array:
            if not path.exists():
                raise TimeoutError("no solution within the time limit")
            table = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64, ndmin=2)
            shutil.rmtree(folder)
            return table[np.argsort(table[:, 0]), 4]

        return Task(work, read)

    yield Contender(
        "minimalloc (google)", "peer", prepare, 5_000, searches=True, knows_capacity=True
    )
