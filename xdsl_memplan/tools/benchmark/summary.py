"""From runs to one line per contender and group."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from xdsl_memplan.tools.benchmark.measure import Run

_MOST_LETTERS = 120
"""Of a message in a table."""


@dataclass(frozen=True)
class Line:
    """How a contender did on the instances of a group that it finished."""

    group: str
    contender: str
    side: str
    instances: int
    finished: int
    ratio: float
    """Geometric mean of peak over load."""
    worst_ratio: float
    at_load: int
    """Instances on which the peak is the load: optimal."""
    fits: int
    """Instances on which the peak is at most the capacity."""
    cpu_seconds: float
    """Sum over the finished instances of the median over the repetitions."""
    memory: int
    """Largest growth in bytes."""
    note: str
    """Why instances are not finished."""


def summarize(runs: Iterable[Run]) -> list[Line]:
    """Return the lines by group: who finished most comes first, of those who is best.

    Means over different instances are not compared: who finished fewer comes after all others.
    """
    by_group: dict[str, dict[str, dict[str, list[Run]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for run in runs:
        by_group[run.group][run.contender][run.instance].append(run)
        names[run.group][run.instance] = None
    lines: list[Line] = []
    for group, contenders in by_group.items():
        of_group = [
            _line(group, contender, instances, len(names[group]))
            for contender, instances in contenders.items()
        ]
        lines.extend(
            sorted(of_group, key=lambda line: (-line.finished, line.ratio, line.cpu_seconds))
        )
    return lines


def _line(group: str, contender: str, by_instance: dict[str, list[Run]], instances: int) -> Line:
    ratios: list[float] = []
    at_load = fits = memory = 0
    cpu_seconds = 0.0
    notes: dict[str, int] = defaultdict(int)
    side = "ours"
    for repetitions in by_instance.values():
        good = [run for run in repetitions if run.status == "ok" and run.peak is not None]
        side = repetitions[0].side
        if not good:
            first = repetitions[0]
            why = "" if first.status == "timeout" else _in_short(first.message)
            notes[first.status + why] += 1
            continue
        # A search may give different plans: the median one counts.
        peak = sorted(run.peak or 0 for run in good)[len(good) // 2]
        load, capacity = good[0].load, good[0].capacity
        ratios.append(peak / load if load else 1.0)
        at_load += peak <= load
        fits += peak <= capacity
        cpu_seconds += median(run.cpu_seconds or 0.0 for run in good)
        memory = max(memory, max(run.memory or 0 for run in good))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    note = ", ".join(f"{count} {status}" for status, count in notes.items())
    worst = max(ratios, default=math.inf)
    return Line(
        group,
        contender,
        side,
        instances,
        len(ratios),
        mean,
        worst,
        at_load,
        fits,
        cpu_seconds,
        memory,
        note,
    )


def _in_short(message: str) -> str:
    """Return the first line of a message in brackets, cut where it is long."""
    first = message.strip().partition("\n")[0]
    return f" ({first[:_MOST_LETTERS]})" if first else ""
