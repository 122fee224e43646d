"""A search that would remember more than it may gives up, with a schedule and a bound."""

import pytest

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

WIDTH = 20
LITTLE = SearchSettings(max_memory_bytes=1 << 17)


def wide_graph() -> Graph:
    """Tensors of different sizes, each combined with another one: any order is possible."""
    made = [Tensor(f"t{i}", 100 + 7 * (i * i % 31)) for i in range(WIDTH)]
    joined = [Tensor(f"u{i}", 90 + 11 * (i % 7)) for i in range(WIDTH)]
    operators = [Operator(f"make {i}", (), (i,)) for i in range(WIDTH)]
    for i in range(WIDTH):
        pair = tuple(sorted((i, (i + 7) % WIDTH)))
        operators.append(Operator(f"join {i}", pair, (WIDTH + i,)))
    for i in range(WIDTH):
        pair = tuple(sorted((WIDTH + i, WIDTH + (i + 3) % WIDTH)))
        operators.append(Operator(f"use {i}", pair, ()))
    return Graph(operators, [*made, *joined], [], "wide")


def test_least_peak():
    graph = wide_graph()
    found = schedule_for_peak(graph, LITTLE)
    check_schedule(graph, found)
    assert found.stop == "memory-limit"
    # A few hundred states fit.
    assert 10 < found.statistics["states"] < 2000
    assert graph.largest_footprint <= found.bound < found.peak


@pytest.mark.parametrize("room", [0, 400])
def test_least_traffic(room: int):
    graph = wide_graph()
    capacity = graph.largest_footprint + room
    found = schedule_for_traffic(graph, capacity, LITTLE)
    check_schedule(graph, found, capacity)
    assert found.stop == "memory-limit"
    assert found.statistics["states"] < 20_000
    assert found.bound < found.traffic
    more = schedule_for_traffic(graph, capacity, SearchSettings(max_states=3000))
    assert found.bound <= more.traffic


def test_a_given_order_needs_little():
    graph = wide_graph()
    capacity = graph.largest_footprint + 300
    order = range(len(graph.operators))
    found = schedule_in_order(graph, order, capacity, SearchSettings(max_memory_bytes=1 << 24))
    check_schedule(graph, found, capacity)
    assert found.optimal


def test_no_limit_is_a_choice():
    graph = wide_graph()
    found = schedule_for_peak(graph, SearchSettings(max_states=3000, max_memory_bytes=None))
    assert found.stop == "work-limit"
