"""Graphs whose optimum by capacity alone has no addresses."""

import pytest

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.generate import random_graph
from xdsl_memplan.scheduling.oracle import OracleSettings, solve_exactly
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

# Seed, budget, capacity, optimum with addresses. 124 and 285 have true gaps: by capacity alone it
# is 40 and 45.
ONCE_OPEN = [
    (22, "M_R", 34, 38),
    (36, "M_H", 38, 6),
    (43, "M_P", 46, 0),
    (124, "M_R", 27, 41),
    (159, "M_H", 30, 5),
    (226, "M_R", 31, 47),
    (285, "M_R", 38, 46),
    (318, "M_R", 31, 20),
    (339, "M_H", 20, 9),
    (389, "M_R", 28, 49),
    (389, "M_H", 32, 19),
]


@pytest.mark.parametrize(("seed", "budget", "capacity", "optimum"), ONCE_OPEN)
def test_once_open_cases_are_proved(seed: int, budget: str, capacity: int, optimum: int):
    graph = random_graph(seed, 15 + seed % 26, reach=12)
    assert budgets_of(graph).by_name()[budget] == capacity
    found = schedule_for_traffic(graph, capacity)
    check_schedule(graph, found, capacity)
    assert (found.traffic, found.bound, found.stop) == (optimum, optimum, "optimal")


def test_a_gap_is_a_gap_for_cosmas_program_too():
    """Small graphs for which packings were refuted: both find the same optimum."""
    compared = 0
    for seed in range(2000):
        graph = random_graph(seed, 7, reach=12)
        capacity = budgets_of(graph).mean
        found = schedule_for_traffic(graph, capacity)
        check_schedule(graph, found, capacity)
        assert found.optimal
        if found.statistics["clashes"] == 0:
            continue
        answer = solve_exactly(graph, capacity, OracleSettings(at_most=found.traffic))
        assert (answer.traffic, answer.bound) == (found.traffic, found.traffic)
        compared += 1
        if compared == 3:
            break
    assert compared


def test_what_was_not_packed_is_not_claimed():
    graph = random_graph(124, 35, reach=12)
    found = schedule_for_traffic(graph, 27, SearchSettings(max_states=3000))
    check_schedule(graph, found, 27)
    assert found.bound <= 41 < found.traffic
    assert found.stop == "work-limit"


@pytest.mark.parametrize("width", [100, 150, 600])
def test_more_tensors_are_live_than_fit_two_words(width: int):
    """Down a chain and up again: each result of the way down waits for its reader on the way up."""
    tensors = [Tensor("x", 1, "input")]
    operators: list[Operator] = []
    for i in range(2 * width):
        waiting = 2 * width - i
        inputs = (i,) if i <= width or waiting == i else (waiting, i)
        kind = "output" if i == 2 * width - 1 else "activation"
        tensors.append(Tensor(f"t{i}", 1 + (i + 1) % 3, kind))
        operators.append(Operator(f"op{i}", inputs, (i + 1,)))
    graph = Graph(operators, tensors)
    peak = schedule_for_peak(graph)
    check_schedule(graph, peak)
    assert peak.optimal
    assert peak.bound > width
    found = schedule_for_traffic(graph, peak.bound - 1)
    check_schedule(graph, found, peak.bound - 1)
    # One of the tensors of one byte leaves and comes back.
    assert (found.traffic, found.stop) == (2, "optimal")
