"""`memplan planners`: what there is to choose from."""

import argparse
import json
from dataclasses import asdict

from rich.table import Table

from xdsl_memplan.planners.registry import PlannerInfo, planners
from xdsl_memplan.tools.console import plain_console

_FEATURES = {
    "alignment": "align",
    "fixed_offsets": "fixed",
    "gaps": "gaps",
    "conflicts": "pairs",
    "pools": "pools",
}
"""Field of a planner's listing, and the title of its column."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """List the planners: name, origin, what each supports, one line."""
    listed = planners()
    if arguments.json:
        print(json.dumps([asdict(planner) for planner in listed], indent=2))
        return 0
    console = plain_console()
    if not console.is_terminal:
        console = plain_console(width=200)
    console.print(_table(listed))
    console.print(
        "align: alignments above 1; fixed: given offsets; gaps: idle times inside lifetimes; "
        "pairs: conflicts besides lifetimes; pools: several memories.",
        style="dim",
    )
    return 0


def _table(listed: list[PlannerInfo]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    for title in _FEATURES.values():
        table.add_column(title, justify="center")
    table.add_column("what it does")
    table.add_column("origin", style="dim")
    for planner in listed:
        marks = ("x" if getattr(planner, field) else "" for field in _FEATURES)
        table.add_row(planner.name, *marks, planner.summary, planner.origin)
    return table
