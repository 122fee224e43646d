"""`memplan check FILE`: tells whether a plan or a schedule is sound, whoever made it."""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from xdsl_memplan.formats.byte_size import parse_byte_size
from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.formats.schedule_json import WrittenSchedule, read_schedules
from xdsl_memplan.model.check import PlanError, check_plan
from xdsl_memplan.model.check_bound import check_bound
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.problem import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, help="a plan: CSV with an offset for every buffer; or a schedule: JSON")
    add(
        "--of",
        type=Path,
        metavar="FILE",
        help="what it is a plan of: the CSV of the problem, or the JSON of the graph (needed)",
    )
    add("--capacity", help="bytes of the memory; for a schedule that of the file is the default")
    add("--base", default="0", help="address of offset 0, for alignment")
    add("--bound", type=int, metavar="STATES", help="prove the bound of a schedule again")


def run(arguments: argparse.Namespace) -> int:
    """Check one file; return 0 if all that was asked for is so, and only then.

    Raises FormatError for a file that cannot be read, PlanError or ScheduleError that names the
    rule and who breaks it, ValueError for a bound that was not proved again.
    """
    if arguments.file.suffix.lower() == ".json":
        _check_schedules(arguments)
    else:
        if arguments.bound is not None:
            raise ValueError("--bound goes with a schedule")
        _check_plan(arguments)
    return 0


def _check_plan(arguments: argparse.Namespace) -> None:
    base = parse_byte_size(arguments.base)
    planned = _problem(arguments.file, None, base)
    offsets = dict(planned.fixed)
    for i in range(len(planned)):
        if i not in offsets:
            raise PlanError(f"buffer {planned.describe(i)} has no offset")
    capacity = None if arguments.capacity is None else parse_byte_size(arguments.capacity)
    if arguments.of is None:
        problem = replace(planned, fixed=()).with_capacity(capacity)
    else:
        problem = _problem(arguments.of, capacity, base)
        row = {planned.id_of(i): i for i in range(len(planned))}
        if set(row) != {problem.id_of(i) for i in range(len(problem))}:
            odd = set(row).symmetric_difference(problem.ids)
            raise PlanError(f"buffer {min(odd)} is in one of {arguments.file}, {arguments.of} only")
        offsets = {i: offsets[row[problem.id_of(i)]] for i in range(len(problem))}
    listed = np.array([offsets[i] for i in range(len(problem))], dtype=np.int64)
    peak = check_plan(problem, listed)
    fits = "" if capacity is None else f", fits into {capacity}"
    print(f"{arguments.file}: {len(problem)} buffers, no overlap, peak {peak} bytes{fits}")


def _problem(path: Path, capacity: int | None, base: int) -> Problem:
    with path.open(encoding="utf-8", newline="") as stream:
        return read_problem(stream, str(path), capacity=capacity, base_address=base)


def _check_schedules(arguments: argparse.Namespace) -> None:
    if arguments.of is None:
        raise ValueError("a schedule is checked against its graph: --of GRAPH.json")
    with arguments.of.open(encoding="utf-8") as stream:
        graph = read_graph(stream, str(arguments.of))
    with arguments.file.open(encoding="utf-8") as stream:
        found = read_schedules(stream, str(arguments.file), graph)
    if not found:
        raise ValueError(f"{arguments.file}: no schedule is in it")
    for one in found:
        if arguments.capacity is not None:
            one = replace(one, capacity=parse_byte_size(arguments.capacity))
        used = graph if one.parameters else graph.without_parameters()
        check_schedule(used, one.schedule, one.capacity)
        about = _bound(used, one, arguments.bound)
        fits = "" if one.capacity is None else f", fits into {one.capacity}"
        print(
            f"{arguments.file}: {len(one.schedule.order)} operators, sound, peak "
            f"{one.schedule.peak} bytes, traffic {one.schedule.traffic} bytes{fits}{about}"
        )


def _bound(graph: Graph, one: WrittenSchedule, states: int | None) -> str:
    if states is None:
        return f"; bound {one.schedule.bound} not checked"
    order = one.schedule.order if one.in_order else None
    check = check_bound(graph, one.schedule, one.capacity, states, order, addresses=True)
    check.require()
    return f"; bound {check.proved} proved"
