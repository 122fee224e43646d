"""`memplan bench FILE...`: every planner and every installed peer on one's own buffers."""

import argparse
import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import get_args

from rich.status import Status

from xdsl_memplan.planners.plan import MOST_THREADS, Effort
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, ours
from xdsl_memplan.tools.benchmark.figure import save_figure
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance, from_files, generated
from xdsl_memplan.tools.benchmark.measure import Run
from xdsl_memplan.tools.benchmark.peers import peers
from xdsl_memplan.tools.benchmark.report import report
from xdsl_memplan.tools.benchmark.session import Machine, Session, SessionInterrupted, load_runs
from xdsl_memplan.tools.benchmark.summary import Line, summarize
from xdsl_memplan.tools.benchmark.table import print_tables
from xdsl_memplan.tools.console import plain_console
from xdsl_memplan.tools.whole_number import whole_number

_LONGEST_SECONDS = 1e6
"""Eleven days. Waiting for a process takes milliseconds in 32 bits."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        help="CSV files in minimalloc's format, or folders of them (default: a generated problem)",
    )
    add_session_arguments(parser)


def add_session_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is common to all benchmarks."""
    add = parser.add_argument
    add("-o", "--output", type=Path, default=Path("bench.json"), help="default: %(default)s")
    add("--resume", action="store_true", help="keep the runs in OUTPUT; run what had no time left")
    add("--figure", type=Path, help="picture of the first group with more than one instance")
    add("--report", type=Path, help="all tables as a page of Markdown")
    add("--minutes", type=_time(), default=math.inf, help="start nothing new after that")
    add(
        "--only", action="append", default=[], metavar="TEXT", help="planners with this in the name"
    )
    add("--no-peers", action="store_true", help="only our own planners")
    add(
        "--seconds",
        type=_time(_LONGEST_SECONDS),
        default=5.0,
        help="time limit of a run; default: %(default)s",
    )
    add(
        "--repetitions", type=whole_number(1), default=3, help="of short runs; default: %(default)s"
    )
    add("--effort", choices=get_args(Effort), default="medium", help="default: %(default)s")
    add(
        "--threads",
        type=whole_number(0, MOST_THREADS),
        default=1,
        help="0: all; default: %(default)s",
    )


def _time(most: float = math.inf) -> Callable[[str], float]:
    """Return what reads a time; it raises ArgumentTypeError unless it is in 0 .. `most`."""
    limits = "at least 0" + ("" if math.isinf(most) else f" and at most {most:g}")

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number of {limits}")
        return value

    return read


def run(arguments: argparse.Namespace) -> int:
    """Plan the files with everybody; the status is 1 if nobody has a plan.

    Raises FormatError, OSError, ValueError if no planner is left to run.
    """
    instances = from_files(arguments.files) if arguments.files else [generated(1_000, 50)]
    runs = run_session(arguments, list(instances))
    return 0 if any(run.status == "ok" for run in runs) else 1


def run_session(arguments: argparse.Namespace, instances: Iterable[BenchmarkInstance]) -> list[Run]:
    """Run, write and show a benchmark as the session's arguments say.

    Raises ValueError, before any run, if no planner is left or a file to write is a folder;
    SessionInterrupted, on Ctrl-C, after what there is was shown.
    """
    for path in (arguments.output, arguments.report, arguments.figure):
        if path is not None and path.is_dir():
            raise ValueError(f"{path}: it is a folder; name the file to write")
    console = plain_console()
    if not console.is_terminal:
        console = plain_console(width=160)
    found, missing = ([], []) if arguments.no_peers else peers()
    contenders = _chosen([*ours(), *found], arguments.only)
    limits = Limits(arguments.seconds, arguments.effort, arguments.threads)
    seconds = 60 * arguments.minutes
    earlier = load_runs(arguments.output) if arguments.resume else []
    session = Session(contenders, missing, limits, arguments.repetitions, seconds, earlier)
    interrupt: SessionInterrupted | None = None
    try:
        runs = _run_shown(session, instances, arguments.output)
    except SessionInterrupted as error:
        runs, interrupt = error.runs, error
    lines = summarize(runs)
    print_tables(lines, missing, console)
    more = "; --resume goes on" if interrupt else ""
    console.print(f"all {len(runs)} runs are in {arguments.output}{more}", style="dim")
    if arguments.report is not None:
        figure: Path | None = arguments.figure
        address = figure and os.path.relpath(figure, arguments.report.parent)
        machine = Machine.here()
        page = report(lines, runs, missing, machine, arguments.seconds, address)
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text(page, encoding="utf-8")
    if arguments.figure is not None and (lines or interrupt is None):
        _draw(lines, arguments.figure)
    if interrupt:
        raise interrupt
    return runs


def _run_shown(session: Session, instances: Iterable[BenchmarkInstance], output: Path) -> list[Run]:
    errors = plain_console(stderr=True)
    if not errors.is_terminal:
        return session.run(instances, output, lambda _: None)
    with errors.status("") as status:
        return session.run(instances, output, lambda text: _show(status, text))


def _draw(lines: Sequence[Line], path: Path) -> None:
    if not lines:
        raise ValueError(f"{path} is not written: there are no runs")
    group = next((line.group for line in lines if line.instances > 1), lines[0].group)
    try:
        save_figure([line for line in lines if line.group == group], path)
    except ImportError as error:
        raise ValueError(f"{path} is not written: {error}; pip install matplotlib") from error


def _show(status: Status, text: str) -> None:
    status.update(text)


def _chosen(contenders: Sequence[Contender], wanted: Sequence[str]) -> list[Contender]:
    if not wanted:
        return list(contenders)
    chosen = [one for one in contenders if any(text in one.name for text in wanted)]
    if not chosen:
        raise ValueError(f"no planner has {' or '.join(wanted)} in its name")
    return chosen
