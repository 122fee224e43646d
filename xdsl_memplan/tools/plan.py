"""`memplan plan FILE.csv`: buffers in, offsets out."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import get_args

from rich.table import Table

from xdsl_memplan.formats.byte_size import format_byte_size, parse_byte_size
from xdsl_memplan.formats.minimalloc_csv import read_problem, write_plan
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import DEFAULT_PLANNER, Effort, plan
from xdsl_memplan.tools.console import plain_console
from xdsl_memplan.tools.progress import SearchProgress


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", help="CSV with id,lower,upper,size, perhaps alignment,gaps,offset; - is stdin")
    add("-o", "--output", help="where the CSV with offsets goes (default: stdout)")
    add("--planner", default=DEFAULT_PLANNER, help="default: %(default)s")
    add(
        "--capacity",
        type=_byte_size,
        help="bytes of the memory, e.g. 1048576 or 128KiB: stop as soon as a plan fits",
    )
    add("--minimize", action="store_true", help="with a capacity: go on for the least peak")
    add("--base", type=_byte_size, default=0, help="address of offset 0, for alignment")
    add("--seed", type=int, default=0, help="of all random choices; default: %(default)s")
    add("--effort", choices=get_args(Effort), default="medium", help="default: %(default)s")
    add("--threads", type=int, default=0, help="0 (default): all; never changes the result")
    add("--time-limit", type=float, metavar="SECONDS", help="safety net")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="planner setting")
    add("-q", "--quiet", action="store_true", help="no summary, no progress")


def run(arguments: argparse.Namespace) -> int:
    """Plan one file.

    Returns 1 if the plan is above the capacity, else 0. Raises FormatError, PlanningError, OSError.
    """
    problem = _read(arguments)
    console = plain_console(stderr=True)
    watch = nullcontext(None) if arguments.quiet else SearchProgress(console)
    parameters = dict(_setting(text) for text in arguments.set)
    with watch as progress:
        result = plan(
            problem,
            planner=arguments.planner,
            seed=arguments.seed,
            effort=arguments.effort,
            threads=arguments.threads,
            time_limit_seconds=arguments.time_limit,
            minimize=arguments.minimize or arguments.capacity is None,
            parameters=parameters,
            progress=progress,
        )
    if arguments.output:
        with Path(arguments.output).open("w", encoding="utf-8") as stream:
            write_plan(problem, result, stream)
    else:
        write_plan(problem, result, sys.stdout)
    if not arguments.quiet:
        console.print(_summary(problem, result))
    if problem.capacity is not None and result.peak > problem.capacity:
        raise ValueError(_too_small(result, problem.capacity))
    return 0


def _too_small(result: Plan, capacity: int) -> str:
    """Say what is known: the plan at hand needs more than there is, others may need less."""
    if result.bound > capacity:
        least = f"at least {result.bound} bytes are needed, {result.bound - capacity} too many"
        return f"nothing fits into {capacity} bytes (proved): {least}"
    more = "; a higher --effort may find one" if result.stop == "work-limit" else ""
    return (
        f"no plan for {capacity} bytes was found, nor a proof that there is none: "
        f"this one takes {result.peak}, {result.peak - capacity} too many{more}"
    )


def _byte_size(text: str) -> int:
    try:
        return parse_byte_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set {text}: write NAME=VALUE")
    return name, value


def _read(arguments: argparse.Namespace) -> Problem:
    if arguments.file == "-":
        return read_problem(
            sys.stdin, "<stdin>", capacity=arguments.capacity, base_address=arguments.base
        )
    with Path(arguments.file).open(encoding="utf-8", newline="") as stream:
        return read_problem(
            stream, arguments.file, capacity=arguments.capacity, base_address=arguments.base
        )


def _summary(problem: Problem, result: Plan) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("buffers", str(len(problem)))
    table.add_row("planner", result.planner)
    table.add_row("peak", f"{result.peak} bytes ({format_byte_size(result.peak)})")
    table.add_row("load", f"{result.load} bytes")
    table.add_row("fragmentation", f"{100 * result.fragmentation:.3f} %")
    proved = (
        "the peak is optimal" if result.optimal else f"at least {result.bound} bytes are needed"
    )
    table.add_row("proved", proved)
    table.add_row("stopped", result.stop)
    return table
