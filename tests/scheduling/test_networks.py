"""Values of real networks, 8-bit data: proved, equal to those of an independent prototype."""

from pathlib import Path

import pytest

from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings, check_with_core
from xdsl_memplan.scheduling.divide_and_conquer import schedule_by_parts
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.pareto import pareto_curve
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.replacement import four_baselines
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

GRAPHS = Path(__file__).parent.parent / "data" / "graphs"

# Network, parameters on chip, M_R, M_P, traffic at M_R and at M_H; at M_P nothing moves.
TABLE = [
    ("resnet50", False, 2408448, 2408448, 0, 0),
    ("resnet50", True, 2484736, 2585088, 602112, 200704),
    ("densenet121", False, 1605632, 2107392, 1204224, 602112),
    ("densenet121", True, 1606656, 2108288, 1204224, 602112),
    ("transformer", False, 2621440, 3112960, 4915200, 3932160),
    ("transformer", True, 2689024, 3179008, 4915200, 3932160),
    ("vit_b_16", False, 1210368, 1361664, 3631104, 3631104),
    ("vit_b_16", True, 3118848, 3270144, 3631104, 3631104),
]


def load(name: str, with_parameters: bool) -> Graph:
    with (GRAPHS / f"{name}.json").open(encoding="utf-8") as stream:
        graph = read_graph(stream, name)
    return graph if with_parameters else graph.without_parameters()


@pytest.mark.parametrize(("name", "parameters", "m_r", "m_p", "at_r", "at_h"), TABLE)
def test_optima(name: str, parameters: bool, m_r: int, m_p: int, at_r: int, at_h: int):
    graph = load(name, parameters)
    peak = schedule_for_peak(graph)
    check_schedule(graph, peak)
    budgets = budgets_of(graph)
    assert (budgets.largest_operator, budgets.least_peak) == (m_r, m_p)
    for capacity, traffic in ((m_r, at_r), (budgets.mean, at_h), (m_p, 0)):
        found = schedule_for_traffic(graph, capacity)
        assert (found.traffic, found.bound, found.stop) == (traffic, traffic, "optimal")
        check_schedule(graph, found, capacity)
        assert check_with_core(graph, found, capacity) == (found.traffic, found.peak)


def test_baselines_move_more_and_are_sound():
    graph = load("densenet121", False)
    capacity = graph.largest_footprint
    best = schedule_for_traffic(graph, capacity).traffic
    baselines = four_baselines(graph, capacity)
    assert set(baselines) == {"given-belady", "given-greedy", "peak-belady", "peak-greedy"}
    for schedule in baselines.values():
        check_schedule(graph, schedule, capacity)
        assert schedule.traffic > best


def test_a_given_order_costs_no_less():
    graph = load("transformer", False)
    capacity = graph.largest_footprint
    given = list(range(len(graph.operators)))
    fixed = schedule_in_order(graph, given, capacity)
    check_schedule(graph, fixed, capacity)
    assert fixed.order == given
    assert fixed.optimal
    assert fixed.traffic >= schedule_for_traffic(graph, capacity).traffic


def test_parts_bound_the_whole():
    graph = load("transformer", False)
    capacity = graph.largest_footprint
    whole = schedule_for_traffic(graph, capacity)
    parts = schedule_by_parts(graph, capacity, part=40)
    check_schedule(graph, parts, capacity)
    assert parts.bound <= whole.traffic <= parts.traffic
    assert parts.bound > 0


def test_the_curve_falls():
    graph = load("densenet121", True)
    curve = pareto_curve(graph, 7)
    traffic = [schedule.traffic for _, schedule in curve]
    assert traffic == sorted(traffic, reverse=True)
    assert traffic[-1] == 0
    assert all(schedule.optimal for _, schedule in curve)


def test_same_settings_same_schedule():
    graph = load("transformer", True)
    capacity = graph.largest_footprint
    runs = [schedule_for_traffic(graph, capacity, SearchSettings(seed=5)) for _ in range(2)]
    assert runs[0].order == runs[1].order
    assert runs[0].stays == runs[1].stays
