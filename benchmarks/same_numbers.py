"""Compiles networks before and after planning and compares what they compute, bit for bit.

    python benchmarks/same_numbers.py [FILE.mlir ...] [--corpus DIR ...] [--pipeline PASSES]

Without files: the networks in examples/ and a transformer. Before: upstream's one-shot
bufferization. After: `memplan-pipeline`, all buffers in one arena. Both get the same random
arguments. Needs the tools of MLIR and LLVM 22 and a C compiler.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from xdsl_memplan.native.compare import compare_modules

ROOT = Path(__file__).parent.parent
TRANSFORMER = ROOT / "benchmarks" / "networks" / "bert_base_s128.mlir"


def compare(path: Path, seed: int, pipeline: str) -> str:
    planned = subprocess.run(
        ["xdsl-opt", "-p", pipeline, str(path)], capture_output=True, text=True, check=False
    )
    if planned.returncode:
        return f"not planned: {planned.stderr.strip().splitlines()[-1]}"
    try:
        agreement = compare_modules(path.read_text(), planned.stdout, seed=seed)
    except ValueError as error:
        return str(error)
    spread = ", ".join(f"{deviation:.3g}" for deviation in agreement.standard_deviations)
    return f"equal: {agreement.results} results, standard deviation {spread}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--corpus", nargs="*", type=Path, default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="memplan-pipeline")
    arguments = parser.parse_args()
    files = [*arguments.files, *(f for d in arguments.corpus for f in sorted(d.glob("*.mlir")))]
    console = Console()
    failures = 0
    for path in files or [*sorted((ROOT / "examples").glob("*.mlir")), TRANSFORMER]:
        start = time.monotonic()
        verdict = compare(path, arguments.seed, arguments.pipeline)
        failures += not verdict.startswith("equal")
        console.print(f"{path.stem}: {verdict} ({time.monotonic() - start:.0f} s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
