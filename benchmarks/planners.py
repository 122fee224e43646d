"""Every planner and every installed peer, side by side: the numbers of docs/planners/baselines.md.

Always: minimalloc's A..K at the load and at their capacity, generated problems. With
`--corpus DIR`: the CSV files of DIR/somas and DIR/iopddl. With `--networks DIR`:
CSV files of planned networks, which this makes:

    xdsl-opt -p memplan-pipeline -t memplan-csv network.mlir > DIR/network.csv
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from xdsl_memplan.tools.bench import add_session_arguments, run_session
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance, from_files, generated

ROOT = Path(__file__).parent.parent

GENERATED = ((1_000, 100), (10_000, 128), (10_000, 1_000), (100_000, 612), (1_000_000, 5_206))
"""Buffers, and about how many are alive at a time."""


def instances(arguments: argparse.Namespace) -> Iterator[BenchmarkInstance]:
    if not arguments.no_minimalloc:
        yield from from_files([ROOT / "tests" / "data" / "minimalloc"])
    if arguments.networks:
        yield from from_files([arguments.networks], "networks")
    if arguments.corpus:
        yield from from_files([arguments.corpus / "somas", arguments.corpus / "iopddl"])
    for buffers, mean_live in GENERATED:
        if buffers <= arguments.most_buffers:
            yield generated(buffers, mean_live)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_session_arguments(parser)
    parser.add_argument("--corpus", type=Path, help="folder with somas/ and iopddl/")
    parser.add_argument("--networks", type=Path, help="folder with CSV files of networks")
    parser.add_argument("--no-minimalloc", action="store_true", help="without A..K")
    parser.add_argument("--most-buffers", type=int, default=100_000, help="default: %(default)s")
    arguments = parser.parse_args()
    run_session(arguments, instances(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
