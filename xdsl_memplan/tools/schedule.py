"""`memplan schedule GRAPH.json`: an operator graph in; order, spills and addresses out."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.table import Table

from xdsl_memplan.formats.byte_size import format_byte_size, parse_byte_size
from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.formats.schedule_json import WrittenSchedule, schedule_document
from xdsl_memplan.model.check_bound import BoundCheck, check_bound
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import DEFAULT_MAX_MEMORY_BYTES, SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import schedule_by_parts
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.pareto import pareto_curve
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic
from xdsl_memplan.tools.console import plain_console
from xdsl_memplan.tools.figure_file import write_figure
from xdsl_memplan.tools.progress import SearchProgress

_Curve = Sequence[tuple[int | None, Schedule]]

_OBJECTIVES = ("peak", "traffic", "traffic-fixed-order", "divide-and-conquer")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", help="operator graph as JSON; - is stdin")
    add(
        "-o",
        "--output",
        help="where the schedule goes as JSON (default: stdout), or those of a curve as a list",
    )
    add("--objective", choices=_OBJECTIVES, help="default: traffic with a capacity, else peak")
    add("--capacity", help="bytes on chip, e.g. 2MiB, or M_R, M_H, M_P")
    add("--parameters", action="store_true", help="parameters are on chip too")
    add("--curve", type=int, metavar="POINTS", help="traffic against capacity from M_R to M_P")
    add("--figure", metavar="PNG", help="draw the curve")
    add(
        "--max-states", type=int, help="work of the search; default: %(default)s", default=5_000_000
    )
    add("--max-memory", metavar="SIZE", help="bytes that the search may hold; default: 4GiB")
    add("--check-bound", type=int, metavar="STATES", help="prove the bound again, independently")
    add("--time-limit", type=float, metavar="SECONDS", help="safety net")
    add("-q", "--quiet", action="store_true", help="no summary, no progress")


def run(arguments: argparse.Namespace) -> int:
    """Schedule one graph.

    Raises FormatError, InvalidGraphError, ValueError, OSError; ScheduleError where `--check-bound`
    did not prove all of a bound, after everything is written.
    """
    if arguments.curve is None and arguments.figure:
        raise ValueError("--figure draws a curve: it needs --curve POINTS")
    if arguments.curve is not None and (arguments.capacity or arguments.objective):
        raise ValueError("--curve goes over all capacities: leave out --capacity and --objective")
    graph = _read(arguments.file)
    if not arguments.parameters:
        graph = graph.without_parameters()
    console = plain_console(stderr=True)
    watch = nullcontext(None) if arguments.quiet else SearchProgress(console)
    with watch as progress:
        settings = SearchSettings(
            max_states=arguments.max_states,
            max_memory_bytes=(
                parse_byte_size(arguments.max_memory)
                if arguments.max_memory
                else DEFAULT_MAX_MEMORY_BYTES
            ),
            time_limit_seconds=arguments.time_limit,
            progress=progress,
        )
        if arguments.curve is not None:
            curve = pareto_curve(graph, arguments.curve, settings)
        else:
            curve = [_schedule(graph, arguments, settings)]
    for capacity, schedule in curve:
        check_schedule(graph, schedule, capacity)
    checks = _check_bounds(graph, curve, arguments)
    documents = [_document(graph, *p, c, arguments) for p, c in zip(curve, checks, strict=True)]
    if arguments.curve is None:
        _write(documents[0], arguments.output)
    elif arguments.output:
        _write(documents, arguments.output)
    if arguments.figure:
        draw_curve(curve, Path(arguments.figure), graph.name)
    if not arguments.quiet or arguments.curve is not None:
        (plain_console() if arguments.curve is not None else console).print(
            _table(graph, curve, checks)
        )
    for check in checks:
        if check is not None:
            check.require()
    return 0


def _read(file: str) -> Graph:
    if file == "-":
        return read_graph(sys.stdin, "<stdin>")
    with Path(file).open(encoding="utf-8") as stream:
        return read_graph(stream, file)


def _schedule(
    graph: Graph, arguments: argparse.Namespace, settings: SearchSettings
) -> tuple[int | None, Schedule]:
    objective = arguments.objective or ("peak" if arguments.capacity is None else "traffic")
    if objective == "peak":
        return None, schedule_for_peak(graph, settings)
    if arguments.capacity is None:
        raise ValueError(f"objective {objective} needs --capacity, e.g. 2MiB or M_R")
    if arguments.capacity in ("M_R", "M_H", "M_P"):
        capacity = budgets_of(graph, settings).by_name()[arguments.capacity]
    else:
        capacity = parse_byte_size(arguments.capacity)
    if objective == "traffic-fixed-order":
        given = range(len(graph.operators))
        return capacity, schedule_in_order(graph, given, capacity, settings)
    if objective == "divide-and-conquer":
        return capacity, schedule_by_parts(graph, capacity, settings=settings)
    return capacity, schedule_for_traffic(graph, capacity, settings)


def _check_bounds(
    graph: Graph, curve: _Curve, arguments: argparse.Namespace
) -> list[BoundCheck | None]:
    if arguments.check_bound is None:
        return [None] * len(curve)
    order = range(len(graph.operators)) if _keeps_order(arguments) else None
    states = arguments.check_bound
    return [
        check_bound(graph, schedule, size, states, order, addresses=True)
        for size, schedule in curve
    ]


def _keeps_order(arguments: argparse.Namespace) -> bool:
    return arguments.objective == "traffic-fixed-order"


def _document(
    graph: Graph,
    capacity: int | None,
    schedule: Schedule,
    check: BoundCheck | None,
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    written = WrittenSchedule(schedule, capacity, _keeps_order(arguments), arguments.parameters)
    checked = {} if check is None else {"bound_checked": check.proved}
    return schedule_document(graph, written) | checked


def _write(document: dict[str, Any] | list[dict[str, Any]], output: str | None) -> None:
    text = json.dumps(document, indent=1) + "\n"
    if output:
        Path(output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def _table(graph: Graph, curve: _Curve, checks: Sequence[BoundCheck | None]) -> Table:
    title = f"{graph.name or 'graph'}, operators: {len(graph.operators)}"
    table = Table(title=title, title_justify="left")
    for column in ("capacity", "traffic", "bound", "peak", "stop"):
        table.add_column(column, justify="left" if column == "stop" else "right")
    if any(checks):
        table.add_column("bound checked", justify="right")
    for (capacity, schedule), check in zip(curve, checks, strict=True):
        table.add_row(
            "" if capacity is None else str(capacity),
            str(schedule.traffic),
            str(schedule.bound),
            str(schedule.peak),
            schedule.stop,
            *(() if check is None else (str(check.proved),)),
        )
    return table


def draw_curve(curve: _Curve, output: Path, title: str) -> None:
    """Draw traffic against capacity, as steps, with the proved bounds below.

    Raises ValueError without matplotlib, OSError if the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError(
            "memplan schedule --figure needs matplotlib: pip install matplotlib"
        ) from error
    figure: Any = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot()
    capacities = [capacity for capacity, _ in curve]
    axes.step(capacities, [s.traffic for _, s in curve], where="post", marker="o", label="traffic")
    if any(not s.optimal for _, s in curve):
        axes.step(capacities, [s.bound for _, s in curve], where="post", ls="--", label="bound")
        axes.legend()
    axes.set_xlabel("capacity")
    axes.set_ylabel("bytes moved beyond the compulsory")
    axes.xaxis.set_major_formatter(_format_bytes)
    axes.yaxis.set_major_formatter(_format_bytes)
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)
    write_figure(figure, output, dpi=150)


def _format_bytes(value: float, _: int) -> str:
    return format_byte_size(int(value))
