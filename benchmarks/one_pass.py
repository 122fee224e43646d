"""CPU seconds and memory of every planner that goes through the buffers once, at a million buffers.

    python benchmarks/one_pass.py [--buffers 1000000] [--kind KIND] [--only TEXT] [--report FILE]

Three kinds of problems: `geometric` is that of `make bench`, `mixed` has lives from one tick to a
third of all time, `at-once` has all buffers alive at once. Each run is a process of its own, and
its offsets are checked. Seconds are CPU seconds through Python, with conversion and check; memory
is what the process grew by. `--report` puts the table between the marks of a page.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, ours
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance, generated, load_of
from xdsl_memplan.tools.benchmark.measure import Run, measure

QUADRATIC = {"tflite-gpu-by-size-objects", "tflite-gpu-min-cost-flow", "triton"}
"""Quadratic or worse in the original already."""

MARKS = ("<!-- one_pass.py -->", "<!-- end of one_pass.py -->")


def geometric(buffers: int) -> Problem:
    return generated(buffers, max(2, buffers * 5_206 // 1_000_000)).problem


def at_once(buffers: int) -> Problem:
    sizes = np.random.default_rng(0).integers(1, 4096, buffers, dtype=np.int64)
    times = np.zeros(buffers, dtype=np.int64)
    return Problem(sizes=sizes, starts=times, ends=times + 10)


KINDS: dict[str, Callable[[int], Problem]] = {
    "geometric": geometric,
    "mixed": mixed_lifetimes,
    "at-once": at_once,
}


def one_pass(only: list[str]) -> Iterator[Contender]:
    for one in ours():
        if not one.searches and one.name not in QUADRATIC:
            if not only or any(text in one.name for text in only):
                yield replace(one, most_buffers=None)


def cell(run: Run) -> str:
    if run.cpu_seconds is None or run.memory is None:
        return run.message or run.status
    return f"{run.cpu_seconds:.1f} s, {format_byte_size(run.memory)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--buffers", type=int, default=1_000_000, help="default: %(default)s")
    add("--kind", action="append", choices=KINDS, help="default: all")
    add("--only", action="append", default=[], help="planners with this in the name")
    add("--seconds", type=float, default=120.0, help="limit of a run; default: %(default)s")
    add("--report", type=Path, help="page that gets the table")
    arguments = parser.parse_args()
    kinds = arguments.kind or list(KINDS)
    rows = [
        f"| planner, {arguments.buffers:,} buffers | {' | '.join(kinds)} |",
        "|---|" + "---:|" * len(kinds),
    ]
    problems = {kind: KINDS[kind](arguments.buffers) for kind in kinds}
    instances = {
        kind: BenchmarkInstance(kind, kind, problem, load_of(problem), 0, arguments.seconds)
        for kind, problem in problems.items()
    }
    print("\n".join(rows))
    for contender in one_pass(arguments.only):
        cells = [cell(measure(contender, one, Limits(0.0))) for one in instances.values()]
        rows.append(f"| `{contender.name}` | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    if arguments.report:
        text = arguments.report.read_text(encoding="utf-8")
        before, _, rest = text.partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        table = "\n".join(rows)
        page = f"{before}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{after}"
        arguments.report.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
