"""`memplan plot FILE.csv`: a picture of a plan, time to the right and addresses upwards."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.check import check_plan
from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.planners.plan import DEFAULT_PLANNER, plan
from xdsl_memplan.tools.figure_file import write_figure


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, help="CSV of a problem, or of a plan: with an offset for every buffer")
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="PNG (also without an ending), SVG or PDF",
    )
    add("--planner", default=DEFAULT_PLANNER, help="for a file without offsets: %(default)s")
    add("--title", default="", help="first line of the title")


def run(arguments: argparse.Namespace) -> int:
    """Draw one file.

    Raises FormatError, PlanError for offsets that overlap, and ValueError without matplotlib.
    """
    with arguments.file.open(encoding="utf-8", newline="") as stream:
        problem = read_problem(stream, str(arguments.file))
    if problem.fixed and len(problem.fixed) == len(problem):
        offsets = np.array([offset for _, offset in problem.fixed], dtype=np.int64)
        problem = replace(problem, fixed=())
    else:
        offsets = plan(problem, planner=arguments.planner).offsets
    draw_plan(problem, offsets, arguments.output, arguments.title)
    return 0


def draw_plan(problem: Problem, offsets: Int64Array, output: Path, title: str = "") -> None:
    """Draw every buffer as a rectangle: ticks by bytes, with the bytes live as a line above.

    A buffer with gaps is a rectangle for each time that it needs its bytes. ``offsets`` are bytes,
    shape (n,). Raises PlanError if buffers overlap, ValueError without matplotlib, OSError if the
    file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
        from matplotlib.ticker import MultipleLocator
    except ImportError as error:
        raise ValueError("memplan plot needs matplotlib: pip install matplotlib") from error
    peak = check_plan(problem, offsets)
    figure: Any = Figure(figsize=(10, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot()
    largest = max(problem.sizes.tolist(), default=1) or 1
    for buffer, start, end in problem.live_spans():
        size, offset = int(problem.sizes[buffer]), int(offsets[buffer])
        shade = 0.25 + 0.6 * (size / largest) ** 0.5
        axes.add_patch(
            Rectangle(
                (start, offset),
                end - start,
                size,
                facecolor=(0.12, 0.35 + 0.4 * (1 - shade), 0.6, shade),
                edgecolor="white",
                linewidth=0.4,
            )
        )
    ticks, live = live_bytes(problem)
    axes.step(ticks, live, where="post", color="#d95f02", linewidth=1.2, label="bytes live")
    axes.axhline(peak, color="black", linewidth=0.8, linestyle="--", label="arena")
    axes.set_xlim(ticks[0], max(ticks[-1], ticks[0] + 1))
    axes.set_ylim(0, peak * 1.08 or 1)
    axes.set_xlabel("tick (operation)")
    axes.set_ylabel("address in the arena")
    # Powers of two, at most eight of them: addresses are read in KiB and MiB.
    axes.yaxis.set_major_locator(MultipleLocator(2 ** max(0, (peak // 8).bit_length())))
    axes.yaxis.set_major_formatter(_format_address)
    load = int(live.max(initial=0))
    facts = f"arena {format_byte_size(peak)}, most bytes live {format_byte_size(load)}"
    axes.set_title(
        f"{title}\n{facts}" if title else facts, fontsize=10, loc="left", parse_math=False
    )
    axes.legend(loc="upper right", fontsize=8, ncols=2, framealpha=0.9)
    write_figure(figure, output, dpi=150)


def _format_address(value: float, _: int) -> str:
    return format_byte_size(int(value))


def live_bytes(problem: Problem) -> tuple[Int64Array, Int64Array]:
    """Return the ticks at which the live bytes may change, and the bytes live from each on.

    Both have shape (t,), t >= 1; the last entry of the second is 0.
    """
    spans = np.array(list(problem.live_spans()), dtype=np.int64).reshape(-1, 3)
    buffers, starts, ends = spans.T
    ticks = np.unique(np.concatenate([starts, ends, np.zeros(1, np.int64)]))
    change = np.zeros(len(ticks), dtype=np.int64)
    np.add.at(change, np.searchsorted(ticks, starts), problem.sizes[buffers])
    np.subtract.at(change, np.searchsorted(ticks, ends), problem.sizes[buffers])
    return ticks, np.cumsum(change)
