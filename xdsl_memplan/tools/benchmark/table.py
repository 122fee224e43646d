"""The table of a benchmark."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.tools.benchmark.missing import Missing
from xdsl_memplan.tools.benchmark.summary import Line


def print_tables(lines: Iterable[Line], missing: Sequence[Missing], console: Console) -> None:
    """Print one table per group, best first, and a line for each peer that is not there."""
    tables: dict[str, Table] = {}
    for line in lines:
        if line.group not in tables:
            tables[line.group] = _table(line)
        tables[line.group].add_row(*_cells(line), style="" if line.side == "ours" else "cyan")
    for table in tables.values():
        console.print(table)
    for peer in missing:
        console.print(f"not here: {peer.name} ({peer.reason})", style="dim", highlight=False)


def _table(line: Line) -> Table:
    noun = "instance" if line.instances == 1 else "instances"
    table = Table(
        title=f"{line.group}: {line.instances} {noun}",
        box=None,
        header_style="bold",
        pad_edge=False,
    )
    table.add_column("planner", no_wrap=True)
    for title in ("done", "peak/load", "worst", "at load", "fits", "CPU s", "memory"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("not done")
    return table


def _cells(line: Line) -> list[str]:
    if not line.finished:
        return [line.contender, "0", "", "", "", "", "", "", line.note]
    return [
        line.contender,
        str(line.finished),
        f"{line.ratio:.4f}",
        f"{line.worst_ratio:.4f}",
        str(line.at_load),
        str(line.fits),
        f"{line.cpu_seconds:.4f}" if line.cpu_seconds < 1 else f"{line.cpu_seconds:.2f}",
        format_byte_size(line.memory),
        line.note,
    ]
