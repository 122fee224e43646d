"""COSMA's comparison on operator graphs: optima, times, baselines.

    python benchmarks/schedule_networks.py [--corpus DIR] [NETWORK ...]

Times are CPU seconds of one call from Python, the best of three; the graphs of tests/data/graphs
are used unless a directory is given.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import schedule_by_parts
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.replacement import four_baselines
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

GRAPHS = Path(__file__).parent.parent / "tests" / "data" / "graphs"
LIMIT = SearchSettings(max_states=2_000_000)
"""Far above what any network of the paper needs; DLRM, with its 26 tables, needs more."""

ARCHITECTURE_SEARCH = ("amoebanet_d", "darts_v2", "nasnetalarge", "pnasnet5large")


def timed(run: Callable[[], Schedule], rounds: int = 3) -> tuple[Schedule, float]:
    seconds: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        found = run()
        seconds.append(time.process_time() - start)
    return found, 1000 * min(seconds)


def one_setting(name: str, setting: str, graph: Graph) -> list[float]:
    peak, peak_ms = timed(lambda: schedule_for_peak(graph))
    check_schedule(graph, peak)
    reductions: list[float] = []
    print(
        f"{name} {setting}: M_P {peak.bound} {peak.stop},"
        f" addresses to {peak.peak}, {peak_ms:.1f} ms"
    )
    for budget, capacity in budgets_of(graph).by_name().items():
        found, ms = timed(lambda: schedule_for_traffic(graph, capacity, LIMIT))
        check_schedule(graph, found, capacity)
        given = range(len(graph.operators))
        fixed, fixed_ms = timed(lambda: schedule_in_order(graph, given, capacity))
        at_peak, at_peak_ms = timed(lambda: schedule_in_order(graph, peak.order, capacity))
        parts, parts_ms = timed(lambda: schedule_by_parts(graph, capacity), 1)
        baselines = four_baselines(graph, capacity)
        for schedule in (fixed, at_peak, parts, *baselines.values()):
            check_schedule(graph, schedule, capacity)
        mean = statistics.mean(schedule.traffic for schedule in baselines.values())
        reduction = f"{100 * (1 - found.traffic / mean):.1f} %" if mean else "-"
        if mean:
            reductions.append(100 * (1 - found.traffic / mean))
        print(
            f"  {budget} {capacity}: {found.traffic} {found.stop} {ms:.1f} ms;"
            f" given order {fixed.traffic} {fixed.stop} {fixed_ms:.1f} ms,"
            f" peak order {at_peak.traffic} {at_peak.stop} {at_peak_ms:.1f} ms;"
            f" parts {parts.traffic} bound {parts.bound} {parts_ms:.0f} ms;"
            f" baselines {[s.traffic for s in baselines.values()]} reduction {reduction}",
            flush=True,
        )
    return reductions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--corpus", type=Path, default=GRAPHS, help="folder of graphs")
    arguments = parser.parse_args()
    names = arguments.networks or sorted(path.stem for path in arguments.corpus.glob("*.json"))
    groups: dict[str, list[float]] = {}
    for name in names:
        with (arguments.corpus / f"{name}.json").open(encoding="utf-8") as stream:
            whole = read_graph(stream, name)
        for setting, graph in (("A", whole.without_parameters()), ("P", whole)):
            group = "search" if name in ARCHITECTURE_SEARCH else "human"
            groups.setdefault(f"{group} {setting}", []).extend(one_setting(name, setting, graph))
    for group, values in sorted(groups.items()):
        if values:
            print(f"mean reduction, {group}: {statistics.mean(values):.1f} %")


if __name__ == "__main__":
    main()
