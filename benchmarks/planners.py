"""Every planner and every installed peer, side by side: docs/planners/benchmark.md and its figure.

Always: minimalloc's A..K at the load and at their capacity, the problems of 20 networks (made by
export_networks.py), those of SOMAS and IOPDDL that are in the project, generated problems of 1k to
1M buffers. `--corpus DIR` adds the CSV files of DIR/somas and DIR/iopddl. `--quick` takes a few
small ones, and less than three minutes.

`--minutes` are shared by the groups of instances, so that none takes the time of the others; 1M
buffers need about eight of them.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from xdsl_memplan.tools.bench import add_session_arguments, run_session
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance, from_files, generated
from xdsl_memplan.tools.benchmark.measure import Run
from xdsl_memplan.tools.benchmark.same_rule import compare_same_rule
from xdsl_memplan.tools.benchmark.session import Machine
from xdsl_memplan.tools.benchmark.summary import summarize

ROOT = Path(__file__).parent.parent
DATA = ROOT / "benchmarks" / "data"

GENERATED = ((1_000, 100), (10_000, 128), (10_000, 1_000), (100_000, 612), (1_000_000, 5_206))
"""Buffers, and about how many are alive at a time."""

_SMALL = 10_000

_QUICK_MINUTES = 2.5


def instances(arguments: argparse.Namespace) -> Iterator[BenchmarkInstance]:
    minimalloc = from_files([ROOT / "tests" / "data" / "minimalloc"])
    networks = from_files([DATA / "networks"])
    if arguments.quick:
        yield from (one for one in minimalloc if one.name == "A")
        yield from networks[:2]
        yield from (generated(*size) for size in GENERATED[:2])
        return
    # What is large comes last: whoever stops early has the rest, and what groups do not use of
    # their time is for those after them.
    sizes = [size for size in GENERATED if size[0] <= arguments.most_buffers]
    yield from minimalloc
    yield from (generated(*size) for size in sizes if size[0] <= _SMALL)
    yield from networks
    files = [DATA / "idealloc" / "resnet50.csv", DATA / "idealloc" / "G_1.csv"]
    if arguments.corpus:
        folders = (arguments.corpus / "somas", arguments.corpus / "iopddl")
        known = {file.name for file in files}
        found = (file for folder in folders for file in sorted(folder.glob("*.csv")))
        files += [file for file in found if file.name not in known]
    yield from from_files(files, "SOMAS and IOPDDL")
    yield from (generated(*size) for size in sizes if size[0] > _SMALL)


def write_summary(runs: Sequence[Run], path: Path) -> None:
    """What the page shows, for machines: no single runs."""
    content = {
        "machine": asdict(Machine.here()),
        "lines": [asdict(line) for line in summarize(runs)],
        "same_rule": [asdict(one) for one in compare_same_rule(runs)],
    }
    # Infinity is no JSON: who finished nothing has no ratio.
    text = json.dumps(content, indent=1).replace("Infinity", "null")
    path.write_text(text + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_session_arguments(parser)
    add = parser.add_argument
    add("--quick", action="store_true", help="a few small problems, half a second each")
    add("--corpus", type=Path, help="folder with somas/ and iopddl/")
    add("--most-buffers", type=int, default=1_000_000, help="default: %(default)s")
    add("--summary", type=Path, help="write the lines of the tables as JSON")
    parser.set_defaults(seconds=2.0)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.repetitions = 0.5, 1
        arguments.minutes = min(arguments.minutes, _QUICK_MINUTES)
    try:
        runs = run_session(arguments, instances(arguments))
    except KeyboardInterrupt:
        return 130
    if arguments.summary:
        write_summary(runs, arguments.summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
