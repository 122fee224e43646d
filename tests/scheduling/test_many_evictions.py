"""More choices of what to evict than anybody can list end the search, not the memory."""

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

WIDTH = 60
SIZES = [1000 + 14 * i for i in range(WIDTH)]
"""Bytes, all different: none stands for another."""


def many_evictions(large: int) -> Graph:
    """Tensors of which some must leave for `large` bytes; each has two readers, so none is free."""
    tensors = [*(Tensor(f"t{i}", size) for i, size in enumerate(SIZES)), Tensor("large", large)]
    operators = [Operator("all", (), tuple(range(WIDTH))), Operator("large", (0,), (WIDTH,))]
    for i in range(WIDTH):
        operators += [Operator(f"a{i}", (i, WIDTH), ()), Operator(f"b{i}", (i, WIDTH), ())]
    return Graph(operators, tensors, [], "evictions")


def test_millions_of_evictions_are_not_listed():
    # All sizes are even: an odd number of bytes is never freed exactly.
    graph = many_evictions(sum(SIZES) // 2 // 2 * 2 + 1)
    found = schedule_for_traffic(graph, sum(SIZES), SearchSettings(max_states=1000))
    check_schedule(graph, found, sum(SIZES))
    assert found.stop == "work-limit"
    assert found.bound < found.traffic


def test_the_least_peak_bounds_what_must_move():
    # What does not fit beside all of them is written and read once: that is a bound, and it is met.
    large = sum(SIZES) // 2 // 2 * 2
    graph = many_evictions(large)
    found = schedule_for_traffic(graph, sum(SIZES), SearchSettings(max_states=1000))
    check_schedule(graph, found, sum(SIZES))
    assert (found.traffic, found.bound, found.stop) == (2 * large, 2 * large, "optimal")
