"""Compiles networks before and after planning and compares what they compute, bit for bit.

    python benchmarks/same_numbers.py [FILE.mlir ...] [--corpus DIR ...] [--pipeline PASSES]
        [--spill] [--integers-below N]

Without files: the networks in examples/ and a transformer. Before: upstream's one-shot
bufferization. After: `memplan-pipeline`, all buffers in one arena. Both get the same random
arguments. With --spill the capacity is what the largest operator needs, so that tensors move off
chip and back. Needs the tools of MLIR and LLVM 22 and a C compiler.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from schedule_ir import least_capacity
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.tools.benchmark.peers.executable import executable

ROOT = Path(__file__).parent.parent
TRANSFORMER = ROOT / "benchmarks" / "networks" / "transformer.mlir"


def compare(path: Path, seed: int, pipeline: str, integers_below: int) -> str:
    planned = subprocess.run(
        [executable("xdsl-opt"), "-p", pipeline, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if planned.returncode:
        return f"not planned: {planned.stderr.strip().splitlines()[-1]}"
    try:
        agreement = compare_modules(
            path.read_text(), planned.stdout, seed=seed, integers_below=integers_below
        )
    except ValueError as error:
        return str(error)
    spread = ", ".join(f"{deviation:.3g}" for deviation in agreement.standard_deviations)
    off_chip = re.search(r'sym_name = "DDR", type = memref<(\d+)xi8>', planned.stdout)
    under = f", {off_chip[1]} bytes off chip" if off_chip else ""
    if not agreement.informative:
        return f"equal, but every result is one constant{under}"
    return f"equal: {agreement.results} results, standard deviation {spread}{under}"


def under_least_capacity(path: Path) -> str:
    """The pipeline with the capacity of the largest operator."""
    module = Parser(full_context(), path.read_text(), str(path)).parse_module()
    return f'memplan-pipeline{{memory="L1={least_capacity(module)},DDR" split=never}}'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--corpus", nargs="*", type=Path, default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="memplan-pipeline")
    parser.add_argument("--spill", action="store_true", help="under the least capacity")
    parser.add_argument("--integers-below", type=int, default=16, help="BERT has tables of 2 rows")
    arguments = parser.parse_args()
    files = [*arguments.files, *(f for d in arguments.corpus for f in sorted(d.glob("*.mlir")))]
    console = Console()
    failures = 0
    for path in files or [*sorted((ROOT / "examples").glob("*.mlir")), TRANSFORMER]:
        start = time.monotonic()
        pipeline = under_least_capacity(path) if arguments.spill else arguments.pipeline
        verdict = compare(path, arguments.seed, pipeline, arguments.integers_below)
        failures += not verdict.startswith("equal")
        console.print(f"{path.stem}: {verdict} ({time.monotonic() - start:.0f} s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
