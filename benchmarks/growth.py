"""CPU seconds and memory of every rule from 1k to 1M buffers, for docs/planners/baselines.md.

    python benchmarks/growth.py [--only TEXT] [--write]

Generated problems (`instances.generated`) with 100, 128, 612 and 5,206 buffers alive at a time on
average. Each run is a process of its own: CPU seconds of the call, conversion and check included,
and by how much the process grew during it. A size that would take longer than a minute, by what the
smaller ones took, is left out. `--write` replaces the table in the page.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, ours
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance, generated
from xdsl_memplan.tools.benchmark.measure import Run, measure

PAGE = Path(__file__).parent.parent / "docs" / "planners" / "baselines.md"
BEGIN, END = "<!-- growth.py: begin -->\n", "<!-- growth.py: end -->\n"
SIZES = ((1_000, 100), (10_000, 128), (100_000, 612), (1_000_000, 5_206))
MOST_SECONDS = 60.0
SEARCHES = {"auto", "exact", "idealloc", "minimalloc", "tvm-hill-climb", "vela-hill-climb"}


def grow(contender: Contender, instances: Sequence[BenchmarkInstance]) -> Iterator[Run | None]:
    """Run on larger and larger problems until one would take too long."""
    before: Run | None = None
    for instance in instances:
        if before is not None:
            factor = len(instance.problem) / before.buffers
            seconds = before.cpu_seconds
            # As if it were quadratic, unless it is quick so far.
            if seconds is None or (seconds > 2 and seconds * factor**2 > MOST_SECONDS):
                before = Run.left_out(contender, instance, "")
                yield None
                continue
        before = measure(contender, instance, Limits(seconds=MOST_SECONDS, effort="low"))
        yield before if before.status == "ok" else None


def cell(run: Run | None) -> str:
    if run is None:
        return "|"
    return f"{run.cpu_seconds:.4g} s, {format_byte_size(run.memory or 0)} |"


def table(contenders: Sequence[Contender], instances: Sequence[BenchmarkInstance]) -> str:
    heads = [f"{len(instance.problem):,}" for instance in instances]
    lines = [f"| planner | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for contender in track(contenders, "planning", console=Console(stderr=True)):
        cells = " ".join(cell(run) for run in grow(contender, instances))
        lines.append(f"| `{contender.name}` | {cells}")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--most-buffers", type=int, default=SIZES[-1][0])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    contenders = [
        one
        for one in ours()
        if one.name not in SEARCHES
        and (not arguments.only or any(text in one.name for text in arguments.only))
    ]
    contenders = [Contender(one.name, one.side, one.prepare) for one in contenders]
    sizes = [size for size in SIZES if size[0] <= arguments.most_buffers]
    text = table(contenders, [generated(*size) for size in sizes])
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(head + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
