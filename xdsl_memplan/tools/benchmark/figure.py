"""The figure of a benchmark: quality against time, one point per planner."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from xdsl_memplan.tools.benchmark.summary import Line
from xdsl_memplan.tools.figure_file import write_figure

_COLOURS = {"ours": "#1f5fa8", "peer": "#c8551b"}
_LEAST_SECONDS = 1e-4
_MOST_RATIO = 4.0
"""Points above are left out and named below the figure."""
_NEAR = 11.0
"""Points within so many pixels share one label."""

Box = tuple[float, float, float, float]


def save_figure(lines: Sequence[Line], path: Path) -> None:
    """Draw the lines of one group that finished most instances: CPU seconds against peak over load.

    The line joins the contenders that no other one beats in both; these have their names beside
    them, all others a number, which the list to the right explains. Raises ImportError without
    matplotlib, OSError, ValueError if nobody finished any.
    """
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    most = max((line.finished for line in lines), default=0)
    complete = [line for line in lines if line.finished == most > 0]
    drawn = sorted(
        (line for line in complete if line.ratio <= _MOST_RATIO),
        key=lambda line: (line.ratio, line.cpu_seconds),
    )
    if not drawn:
        raise ValueError(
            f"{path} is not written: nobody who planned most instances did so within "
            f"{_MOST_RATIO:g} times the load"
        )
    figure, axes = pyplot.subplots(figsize=(12.5, 8), dpi=120)
    figure.subplots_adjust(left=0.06, right=0.76, top=0.95, bottom=0.09)
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=2, linscale=0.6)
    frontier = _frontier(drawn)
    for side, colour in _COLOURS.items():
        points = [line for line in drawn if line.side == side]
        axes.scatter(
            [_seconds(line) for line in points],
            [_waste(line) for line in points],
            s=[60 if line in frontier else 22 for line in points],
            color=colour,
            label=side,
            zorder=3,
        )
    axes.step(
        [_seconds(line) for line in frontier],
        [_waste(line) for line in frontier],
        where="post",
        color="#999999",
        linewidth=1,
        zorder=1,
    )
    axes.set_xlabel("CPU seconds, all these instances (median of repetitions)")
    axes.set_ylabel("peak above load, geometric mean, %")
    of_all = lines[0].instances
    planned = f"{of_all}" if most == of_all else f"{most} of {of_all}"
    axes.set_title(f"{lines[0].group}: {planned} instances; lower left is better")
    ticks = [0, 1, 2, 5, 10, 20, 50, 100, 200]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=-0.3)
    low, high = axes.get_xlim()
    axes.set_xlim(low / 1.5, high * 1.5)
    axes.grid(alpha=0.25)
    axes.legend(loc="upper right")
    above = [line.contender for line in complete if line.ratio > _MOST_RATIO]
    if above:
        figure.text(0.01, 0.005, f"above {_MOST_RATIO:g}x: {', '.join(above)}", fontsize=7)
    numbers = {line.contender: number for number, line in enumerate(drawn, 1)}
    _list(figure, drawn, numbers)
    _label(figure, axes, drawn, frontier, numbers)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_figure(figure, path)
    pyplot.close(figure)


def _seconds(line: Line) -> float:
    return max(_LEAST_SECONDS, line.cpu_seconds)


def _waste(line: Line) -> float:
    return 100 * (line.ratio - 1)


def _frontier(lines: Sequence[Line]) -> list[Line]:
    frontier: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.cpu_seconds, line.ratio)):
        if not frontier or line.ratio < frontier[-1].ratio:
            frontier.append(line)
    return frontier


def _list(figure: Any, lines: Sequence[Line], numbers: dict[str, int]) -> None:
    """Write number, name and ratio of each line to the right of the axes, best first."""
    step = min(0.02, 0.93 / max(1, len(lines)))
    for row, line in enumerate(lines):
        text = f"{numbers[line.contender]:>2}  {line.contender}  {line.ratio:.3f}"
        place = (0.775, 0.945 - row * step)
        figure.text(*place, text, fontsize=6.8, color=_COLOURS[line.side], va="top")


def _label(
    figure: Any,
    axes: Any,
    lines: Sequence[Line],
    frontier: Sequence[Line],
    numbers: dict[str, int],
) -> None:
    """Write names at the frontier, numbers elsewhere, at the first places that hide nothing."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    pixels = {
        line.contender: tuple(axes.transData.transform((_seconds(line), _waste(line))))
        for line in lines
    }
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in pixels.values()]
    frame = axes.get_window_extent(renderer)
    for group in _clusters(lines, frontier, pixels):
        first = group[0]
        x, y = pixels[first.contender]
        is_frontier = first in frontier
        names = [
            f"{numbers[line.contender]} {line.contender}"
            if line in frontier
            else str(numbers[line.contender])
            for line in group
        ]
        text = axes.annotate(
            ", ".join(names),
            (_seconds(first), _waste(first)),
            xytext=(0, 0),
            textcoords="offset pixels",
            fontsize=9 if is_frontier else 6.5,
            fontweight="bold" if is_frontier else "normal",
            color=_COLOURS[first.side],
            va="center",
            arrowprops={"arrowstyle": "-", "color": "#bbbbbb", "linewidth": 0.5},
            zorder=4,
        )
        extent = text.get_window_extent(renderer)
        width, height = extent.width, extent.height
        for dx, dy in _places(width):
            box = (x + dx, y + dy - height / 2, x + dx + width, y + dy + height / 2)
            inside = frame.x0 < box[0] and box[2] < frame.x1 and frame.y0 < box[1] < frame.y1 - 12
            if inside and not any(_overlap(box, other) for other in taken):
                text.set_position((dx, dy))
                taken.append(box)
                break


def _clusters(
    lines: Sequence[Line], frontier: Sequence[Line], pixels: dict[str, tuple[float, float]]
) -> list[list[Line]]:
    """Join what lies on top of each other; the frontier comes first and is never joined to."""
    clusters: list[list[Line]] = [[line] for line in frontier]
    for line in lines:
        if line in frontier:
            continue
        x, y = pixels[line.contender]
        for cluster in clusters[len(frontier) :]:
            other_x, other_y = pixels[cluster[0].contender]
            if abs(x - other_x) < _NEAR and abs(y - other_y) < _NEAR:
                cluster.append(line)
                break
        else:
            clusters.append([line])
    return clusters


def _places(width: float) -> list[tuple[float, float]]:
    """Offsets of the left middle of a label from its point in pixels, nearest first."""
    near = [(7.0, 0.0), (-width - 7, 0.0), (-width / 2, 12.0), (-width / 2, -12.0)]
    rings = [
        (dx, sign * dy)
        for dy in range(12, 260, 6)
        for dx in (7.0, 24.0, 60.0, -width / 2, -width - 7, -width - 30)
        for sign in (1, -1)
    ]
    return near + rings


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
