"""Int8 networks: bytes of the arena whole and in tiles, bytes moved when staged, and their numbers.

    python benchmarks/int8_networks.py [FILE.mlir ...] [--compare whole]

Without files: benchmarks/networks_int8. Each plan, or with `--compare whole` the first one only, is
compiled and compared, bit for bit, with upstream's bufferization of the same file on the same
random arguments: 8-bit tensors over their full signed range. The last column is the standard
deviation of the first result: 0 would say that the comparison says nothing. Needs the
tools of MLIR and LLVM 22 and a C compiler.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.tools.benchmark.peers.executable import executable

FOLDER = Path(__file__).parent / "networks_int8"
WHOLE, TILES = "split=never", "objective=peak"
STAGED = 'memory="L1=64KiB,DDR" stage=all'


@dataclass(frozen=True)
class Planned:
    """A plan, and what it computes."""

    summary: str
    deviation: float

    def number(self, pattern: str) -> int:
        """The number that the summary has there."""
        found = re.search(pattern, self.summary)
        assert found is not None, self.summary
        return int(found[1])


def plan(path: Path, options: str, *, compared: bool) -> Planned:
    """Plan a network, and compare it if asked to.

    Raises ValueError where it computes something else.
    """
    pipeline = f"memplan-pipeline{{{options} summary=true}}"
    command = [executable("xdsl-opt"), "-p", pipeline, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    if not compared:
        return Planned(done.stderr, 0.0)
    agreement = compare_modules(path.read_text(encoding="utf-8"), done.stdout)
    if not agreement.informative:
        raise ValueError(f"{path.stem}: each result is one constant, which says nothing")
    return Planned(done.stderr, agreement.standard_deviations[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--compare", choices=("whole", "all"), default="all")
    arguments = parser.parse_args()
    files = arguments.files or sorted(FOLDER.glob("*.mlir"))
    print(
        "| network | whole, bytes | bound | tiles, bytes | moved with 64 KiB | floor | deviation |"
    )
    print("|-|-:|-:|-:|-:|-:|-:|")
    for path in files:
        every = arguments.compare == "all"
        whole = plan(path, WHOLE, compared=True)
        tiles, staged = (plan(path, options, compared=every) for options in (TILES, STAGED))
        moved = staged.number(r"(\d+) bytes move")
        bound = re.search(r"bytes move .*at least (\d+) must", staged.summary)
        floor = moved if bound is None else int(bound[1])
        print(
            f"| {path.stem} | {whole.number('@main: ([0-9]+) bytes'):,} "
            f"| {whole.number('bound ([0-9]+)'):,} | {tiles.number('@main: ([0-9]+) bytes'):,} "
            f"| {moved:,} | {floor:,} | {whole.deviation:.1f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
