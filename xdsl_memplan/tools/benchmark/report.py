"""A benchmark as a page of Markdown."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.tools.benchmark.growth import Growth, growth
from xdsl_memplan.tools.benchmark.measure import Run
from xdsl_memplan.tools.benchmark.missing import Missing
from xdsl_memplan.tools.benchmark.same_rule import Comparison, compare_same_rule
from xdsl_memplan.tools.benchmark.session import Machine
from xdsl_memplan.tools.benchmark.summary import Line

_INTRODUCTION = """\
# Planners side by side

Made by `make bench`; do not edit. One process per run, contenders in turn on each instance, medians
over repetitions of what takes less than a second, and over up to five calls in a process of what
takes less than a tenth. CPU seconds are those of the call alone, ours through Python with
conversion and check; memory is by how much the process grew during it, or all of another process
that it started. *peak/load*: geometric mean over the instances done, which is compared only among
those who did as many; *at load*: optimal; *fits*: within the capacity that the file gives, else the
load."""

_GROWTH = """\
## Growth of our rules

CPU seconds and growth of the process on the generated problems, by number of buffers. Nothing where
a rule is quadratic or worse, or runs others several times, and is left out: see `contenders.py`."""

_SAME_RULE = """\
## The same rule, 10,000 buffers

Milliseconds of the rule alone on the same instance, and of the peers with the same order and
placement the fastest. *kernel*: ours in Rust, without conversion and check. *pass*: the pass in
`iree-opt`: its share in MLIR's own timing of the CPU time of the process, without start, parsing
and printing; it makes IR as well. *C++ call*: a call of the peer's Python module, whose core is
C++, on objects that were made before. *Python*: the peer is written in Python. Ties, and how a gap
is measured, may differ. `omnimalloc best_fit, by size` is given the buffers sorted, outside of what
is timed."""


def report(
    lines: Sequence[Line],
    runs: Sequence[Run],
    missing: Sequence[Missing],
    machine: Machine,
    seconds: float,
    figure: str | None,
) -> str:
    """Return the page; `figure` is its address as seen from there."""
    parts = [f"{_INTRODUCTION} {_checked(runs)}"]
    parts.append(
        f"{machine.processor}, {machine.cores} cores, Python {machine.python}; searches were given "
        f"{seconds:g} s for an instance."
    )
    if figure is not None:
        parts.append(f"![Quality against time]({figure})")
    for group, of_group in groupby(lines, key=lambda line: line.group):
        parts.append(_table(group, list(of_group)))
    grown = growth(runs)
    if grown:
        parts.append(_GROWTH + "\n\n" + "\n".join(_growth(grown)))
    comparisons = compare_same_rule(runs)
    if comparisons:
        parts.append(_SAME_RULE + "\n\n" + "\n".join(same_rule_rows(comparisons)))
    if missing:
        reasons = "\n".join(f"- {peer.name}: {peer.reason}" for peer in missing)
        parts.append(f"## Not installed\n\n{reasons}")
    return "\n\n".join(parts) + "\n"


def _checked(runs: Sequence[Run]) -> str:
    """Say what the checker found: it looks at every layout."""
    layouts = sum(run.status in ("ok", "invalid") for run in runs)
    wrong = [run for run in runs if run.status == "invalid"]
    if not wrong:
        return f"All {layouts} layouts passed the checker."
    names = ", ".join(sorted({f"{run.contender} on {run.instance}" for run in wrong}))
    return f"Of {layouts} layouts the checker refused {len(wrong)}: {names}."


def _table(group: str, lines: Sequence[Line]) -> str:
    count = lines[0].instances
    rows = [
        f"## {group}: {count} {'instance' if count == 1 else 'instances'}",
        "",
        "| planner | done | peak/load | worst | at load | fits | CPU s | memory | not done |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for line in lines:
        name = f"`{line.contender}`" if line.side == "ours" else line.contender
        if not line.finished:
            rows.append(f"| {name} | 0 | | | | | | | {_cell(line.note)} |")
            continue
        cells = (
            name,
            line.finished,
            f"{line.ratio:.4f}",
            f"{line.worst_ratio:.4f}",
            line.at_load,
            line.fits,
            f"{line.cpu_seconds:.4f}" if line.cpu_seconds < 1 else f"{line.cpu_seconds:.2f}",
            format_byte_size(line.memory),
            _cell(line.note),
        )
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _growth(grown: Sequence[Growth]) -> Iterator[str]:
    sizes = list(grown[0].by_buffers)
    yield f"| planner | {' | '.join(f'{size:,}' for size in sizes)} |"
    yield "|---|" + "---:|" * len(sizes)
    for one in grown:
        cells = [
            "" if cell is None else f"{cell[0]:.4g} s, {format_byte_size(cell[1])}"
            for cell in one.by_buffers.values()
        ]
        yield f"| `{one.planner}` | {' | '.join(cells)} |"


def same_rule_rows(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the lines of the table of comparisons."""
    yield "| instance | planner | kernel, ms | fastest peer | timed | ms | times |"
    yield "|---|---|---:|---|---|---:|---:|"
    for one in comparisons:
        yield (
            f"| {one.instance} | `{one.planner}` | {1e3 * one.seconds:.2f} | {one.peer} "
            f"| {one.timed} | {1e3 * one.peer_seconds:.2f} | {one.speedup:.1f} |"
        )
