"""How time and memory of each planner grow with the number of buffers."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from xdsl_memplan.tools.benchmark.measure import Run


@dataclass(frozen=True)
class Growth:
    """Median CPU seconds and largest growth in bytes by number of buffers; None where not done."""

    planner: str
    by_buffers: dict[int, tuple[float, int] | None]


def growth(runs: Iterable[Run]) -> list[Growth]:
    """Take our rules on the generated problems, the first instance of each size; searches not."""
    instances: dict[int, str] = {}
    done: dict[str, dict[int, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if not run.group.startswith("generated") or run.side != "ours" or run.searches:
            continue
        if instances.setdefault(run.buffers, run.instance) == run.instance:
            done[run.contender][run.buffers].append(run)
    return [
        Growth(planner, {buffers: _medians(by_buffers[buffers]) for buffers in sorted(instances)})
        for planner, by_buffers in done.items()
    ]


def _medians(runs: Iterable[Run]) -> tuple[float, int] | None:
    good = [run for run in runs if run.status == "ok"]
    if not good:
        return None
    return median(run.cpu_seconds or 0.0 for run in good), max(run.memory or 0 for run in good)
