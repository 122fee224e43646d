"""How much faster ours are than the fastest peer that follows the same rule."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from xdsl_memplan.tools.benchmark.measure import Run

SAME_RULE: dict[str, tuple[str, ...]] = {
    "naive": ("omnimalloc naive",),
    "first-fit-by-size": ("omnimalloc greedy_by_size",),
    "first-fit-by-area": ("omnimalloc greedy_by_area",),
    "first-fit-by-lifetime": ("omnimalloc greedy_by_duration",),
    "tflm": ("omnimalloc greedy_by_size",),
    "best-fit-by-size": ("omnimalloc best_fit, by size",),
    "tflite-gpu-by-size": ("omnimalloc best_fit, by size",),
    "tflite-arena": ("omnimalloc best_fit, by size",),
    "xla-spatial": ("omnimalloc best_fit, by size",),
    "iree": ("omnimalloc best_fit", "iree-opt LayoutSlices"),
    "mlir-best-fit": ("iree-opt MLIR best-fit",),
    "vela-greedy": ("vela greedy",),
    "triton": ("triton allocation",),
    "executorch": ("executorch greedy",),
}
"""Order and placement are the same; ties, and how the length of a gap is taken, may differ."""


@dataclass(frozen=True)
class Comparison:
    """Least seconds on one instance of the rule alone, ours and the peer's."""

    instance: str
    planner: str
    peer: str
    seconds: float
    peer_seconds: float
    timed: str
    """What the peer's seconds consist of."""

    @property
    def speedup(self) -> float:
        """How many times as long the peer takes."""
        return self.peer_seconds / max(self.seconds, 1e-9)


def compare_same_rule(runs: Iterable[Run], buffers: int = 10_000) -> list[Comparison]:
    """Compare on all instances of that many buffers; what has no peer there is left out."""
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    timed: dict[str, str] = {}
    for run in runs:
        alone = run.cpu_seconds if run.kernel_seconds is None else run.kernel_seconds
        if run.buffers == buffers and run.status == "ok" and alone is not None:
            seconds[run.instance][run.contender].append(alone)
            timed[run.contender] = run.timed
    comparisons: list[Comparison] = []
    for instance, of in seconds.items():
        for planner, peers in SAME_RULE.items():
            there = [(min(of[peer]), peer) for peer in peers if of.get(peer)]
            if of.get(planner) and there:
                fastest, peer = min(there)
                mine = min(of[planner])
                one = Comparison(instance, planner, peer, mine, fastest, timed[peer])
                comparisons.append(one)
    return comparisons
