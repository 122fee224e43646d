"""Compiles networks before and after planning and compares what they compute, bit for bit.

    python benchmarks/same_numbers.py                     the four networks in examples/
    python benchmarks/same_numbers.py --corpus DIR ...    every .mlir file in the folders
    python benchmarks/same_numbers.py FILE ...

Before: upstream's one-shot bufferization. After: `memplan-pipeline`, all buffers in one arena. Both
get the same random arguments. Needs the tools of MLIR and LLVM 22 and gcc.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from xdsl_memplan.tools.mlir_runner import compile_module, random_arrays

ROOT = Path(__file__).parent.parent


def compare(path: Path, seed: int, pipeline: str) -> str:
    planned = subprocess.run(
        ["xdsl-opt", "-p", pipeline, str(path)], capture_output=True, text=True, check=False
    )
    if planned.returncode:
        return f"not planned: {planned.stderr.strip().splitlines()[-1][:100]}"
    before = compile_module(path.read_text())
    after = compile_module(planned.stdout)
    if (before.arguments, before.results) != (after.arguments, after.results):
        return "the signatures differ"
    arrays = random_arrays(before.arguments, seed)
    kept = [array.copy() for array in arrays]
    expected, actual = before.run(arrays), after.run(arrays)
    if any(a.tobytes() != b.tobytes() for a, b in zip(arrays, kept, strict=True)):
        return "an argument was overwritten"
    for index, (a, b) in enumerate(zip(expected, actual, strict=True)):
        if a.tobytes() != b.tobytes():
            return f"result {index} differs in {(a != b).sum()} of {a.size} elements"
    return "equal"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--corpus", nargs="*", type=Path, default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="memplan-pipeline")
    arguments = parser.parse_args()
    files = [*arguments.files, *(f for d in arguments.corpus for f in sorted(d.glob("*.mlir")))]
    table = Table("network", "results", "s", title="Before and after planning")
    console = Console()
    failures = 0
    for path in files or sorted((ROOT / "examples").glob("*.mlir")):
        start = time.monotonic()
        try:
            verdict = compare(path, arguments.seed, arguments.pipeline)
        except ValueError as error:
            verdict = str(error)
        failures += verdict != "equal"
        table.add_row(path.stem, verdict, f"{time.monotonic() - start:.0f}")
        console.log(path.stem, verdict)
    console.print(table)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
