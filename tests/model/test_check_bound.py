"""Bounds are proved again by searches of the checker's own, and wrong ones are found out."""

from dataclasses import replace
from pathlib import Path

import pytest

from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.model.bound_search import least_moved
from xdsl_memplan.model.check_bound import BoundCheck, check_bound
from xdsl_memplan.model.check_schedule import ScheduleError
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.model.peak_search import least_peak_of
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import schedule_by_parts
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.generate import random_graph
from xdsl_memplan.scheduling.oracle import OracleSettings, solve_exactly
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

GRAPHS = Path(__file__).parent.parent / "data" / "graphs"


def load(name: str) -> Graph:
    with (GRAPHS / f"{name}.json").open(encoding="utf-8") as stream:
        return read_graph(stream, name)


@pytest.mark.parametrize("name", ["resnet50", "densenet121", "vit_b_16"])
@pytest.mark.parametrize("with_parameters", [False, True])
def test_bounds_of_networks_are_proved_again(name: str, with_parameters: bool):
    graph = load(name)
    graph = graph if with_parameters else graph.without_parameters()
    for capacity in budgets_of(graph).by_name().values():
        found = schedule_for_traffic(graph, capacity)
        assert check_bound(graph, found, capacity, 1000).verified
        dearer = replace(found, bound=found.bound + 1)
        with pytest.raises(ScheduleError, match=f"but {found.bound} is enough"):
            check_bound(graph, dearer, capacity, 1000)


def test_both_searches_agree_on_random_graphs():
    moving = 0
    for seed in range(120):
        graph = random_graph(seed, 4 + seed % 10, reach=3 + seed % 9)
        operators = range(len(graph.operators))
        for capacity in budgets_of(graph).by_name().values():
            found = schedule_for_traffic(graph, capacity)
            again = least_moved(graph, operators, capacity, 100_000)
            assert again.is_least
            is_less = again.bytes < found.bound and found.statistics["clashes"] > 0
            assert again.bytes == found.bound or is_less, (seed, capacity)
            in_order = schedule_in_order(graph, operators, capacity)
            again = least_moved(graph, operators, capacity, 100_000, operators)
            is_less = again.bytes < in_order.bound and in_order.statistics["clashes"] > 0
            assert again.bytes == in_order.bound or is_less, (seed, capacity)
            moving += found.bound > 0
        assert least_peak_of(graph, 100_000).bytes == schedule_for_peak(graph).bound, seed
    assert moving > 50


@pytest.mark.parametrize("seed", range(5))
def test_cosmas_program_agrees(seed: int):
    graph = random_graph(seed, 5)
    answer = solve_exactly(graph, graph.largest_footprint, OracleSettings(addresses=False))
    again = least_moved(graph, range(5), graph.largest_footprint, 10_000)
    assert (again.bytes, again.is_least) == (answer.bound, True)


def test_parts_of_a_bound_are_proved_one_by_one():
    graph = load("transformer").without_parameters()
    capacity = graph.largest_footprint
    found = schedule_by_parts(graph, capacity, part=40)
    whole = replace(found, parts=())
    assert len(found.parts) == 4
    by_whole, by_parts = (check_bound(graph, one, capacity, 300) for one in (whole, found))
    assert by_whole.proved < by_parts.proved <= found.bound
    assert not by_whole.verified
    twice = replace(found, parts=[found.parts[0], *found.parts])
    with pytest.raises(ScheduleError, match="share operators"):
        check_bound(graph, twice, capacity, 300)


def test_the_core_names_the_parts_of_a_search_that_was_cut_short():
    graph = random_graph(2, 100, reach=12)
    capacity = graph.largest_footprint
    found = schedule_for_traffic(graph, capacity, SearchSettings(max_states=2000))
    assert found.bound < found.traffic
    assert found.parts
    check = check_bound(graph, found, capacity, 2000)
    assert 0 < check.proved <= found.bound
    assert check_bound(graph, found, capacity, 0) == BoundCheck(found.bound, 0, 0)


def test_bounds_of_the_peak():
    graph = load("densenet121")
    found = schedule_for_peak(graph)
    assert found.bound > graph.largest_footprint
    assert check_bound(graph, found, max_states=2000).verified
    with pytest.raises(ScheduleError, match="is enough"):
        check_bound(graph, replace(found, bound=found.bound + 1), max_states=2000)
    # The largest operator is a bound that needs no search.
    small = replace(found, bound=graph.largest_footprint)
    assert check_bound(graph, small, max_states=0).verified


def test_an_order_may_be_part_of_the_claim():
    # In this order each of two results waits for its reader; in another one neither does.
    tensors = [
        Tensor("x", 1, "input"),
        Tensor("a", 4),
        Tensor("b", 4),
        Tensor("c", 1),
        Tensor("d", 1),
    ]
    operators = [Operator("a", (0,), (1,)), Operator("b", (0,), (2,))]
    operators += [Operator("c", (1,), (3,)), Operator("d", (2,), (4,))]
    graph = Graph(operators, tensors)
    found = schedule_in_order(graph, range(4), 6)
    assert found.bound == 16
    assert check_bound(graph, found, 6, order=range(4)).verified
    with pytest.raises(ScheduleError, match="but 0 is enough"):
        check_bound(graph, found, 6)


def test_what_cannot_be_asked():
    graph = random_graph(1, 5)
    found = schedule_for_traffic(graph, graph.largest_footprint)
    claim = replace(found, bound=1)
    with pytest.raises(ScheduleError, match="under a capacity: which"):
        check_bound(graph, claim)
    with pytest.raises(ValueError, match="an operator needs more than 3 bytes"):
        check_bound(graph, claim, 3)
