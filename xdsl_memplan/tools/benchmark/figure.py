"""The figure of a benchmark: quality against time, one point per planner."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from xdsl_memplan.tools.benchmark.summary import Line

_COLOURS = {"ours": "#1f5fa8", "peer": "#c8551b"}
_LEAST_SECONDS = 1e-4
_MOST_RATIO = 4.0
"""Points above are left out and named below the figure."""


def save_figure(lines: Sequence[Line], path: Path) -> None:
    """Draw the lines of one group that finished all instances: CPU seconds against peak over load.

    The line joins the contenders that no other one beats in both. Raises ImportError without
    matplotlib, OSError.
    """
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    complete = [line for line in lines if line.finished == line.instances]
    drawn = [line for line in complete if line.ratio <= _MOST_RATIO]
    if not drawn:
        return
    figure, axes = pyplot.subplots(figsize=(11, 8.5), dpi=120)
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=2, linscale=0.6)
    for side, colour in _COLOURS.items():
        points = [line for line in drawn if line.side == side]
        axes.scatter(
            [_seconds(line) for line in points],
            [_waste(line) for line in points],
            s=26,
            color=colour,
            label=side,
            zorder=3,
        )
    frontier = _frontier(drawn)
    axes.step(
        [_seconds(line) for line in frontier],
        [_waste(line) for line in frontier],
        where="post",
        color="#999999",
        linewidth=1,
        zorder=1,
    )
    axes.set_xlabel("CPU seconds, all instances (median of repetitions)")
    axes.set_ylabel("peak above load, geometric mean, %")
    axes.set_title(f"{lines[0].group}: {lines[0].instances} instances; lower left is better")
    ticks = [0, 1, 2, 5, 10, 20, 50, 100, 200]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=-0.3)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 6)
    axes.grid(alpha=0.25)
    axes.legend(loc="upper right")
    above = [line.contender for line in complete if line.ratio > _MOST_RATIO]
    if above:
        figure.text(0.01, 0.005, f"above {_MOST_RATIO:g}x: {', '.join(above)}", fontsize=7)
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    _label(figure, axes, drawn)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
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


def _label(figure: Any, axes: Any, lines: Sequence[Line]) -> None:
    """Write each name at the first place near its point that hides no other name or point."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    points = [axes.transData.transform((_seconds(line), _waste(line))) for line in lines]
    taken: list[tuple[float, float, float, float]] = [
        (x - 4, y - 4, x + 4, y + 4) for x, y in points
    ]
    frame = axes.get_window_extent(renderer)
    for line, (x, y) in sorted(zip(lines, points, strict=True), key=lambda pair: -pair[1][1]):
        text = axes.annotate(
            line.contender,
            (_seconds(line), _waste(line)),
            xytext=(0, 0),
            textcoords="offset pixels",
            fontsize=7.5,
            color=_COLOURS[line.side],
            va="center",
            arrowprops={"arrowstyle": "-", "color": "#bbbbbb", "linewidth": 0.5},
            zorder=2,
        )
        extent = text.get_window_extent(renderer)
        width, height = extent.width, extent.height
        for dx, dy in _places(width):
            box = (x + dx, y + dy - height / 2, x + dx + width, y + dy + height / 2)
            inside = frame.x0 < box[0] and box[2] < frame.x1 and frame.y0 < box[1] < frame.y1 - 12
            if inside and not any(_overlap(box, other) for other in taken):
                break
        else:
            dx, dy = 7.0, 0.0
            box = (x + dx, y - height / 2, x + dx + width, y + height / 2)
        text.set_position((dx, dy))
        taken.append(box)


def _places(width: float) -> list[tuple[float, float]]:
    """Offsets of the left middle of a name from its point in pixels, nearest first."""
    near = [(7.0, 0.0), (-width - 7, 0.0)]
    rings = [
        (dx, sign * dy)
        for dy in range(12, 260, 6)
        for dx in (7.0, 24.0, 60.0, -width / 2, -width - 7, -width - 30)
        for sign in (1, -1)
    ]
    return near + rings


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
