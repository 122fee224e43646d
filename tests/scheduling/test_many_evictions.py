"""More choices of what to evict than anybody can list end the search, not the memory."""

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

WIDTH = 60


def test_millions_of_evictions_are_not_listed():
    # All of different size, so none stands for another; each is read by two, so none is free.
    sizes = [1000 + 7 * i for i in range(WIDTH)]
    tensors = [Tensor(f"t{i}", size) for i, size in enumerate(sizes)]
    tensors.append(Tensor("large", sum(sizes) // 2))
    operators = [Operator("all", (), tuple(range(WIDTH))), Operator("large", (0,), (WIDTH,))]
    for i in range(WIDTH):
        operators += [Operator(f"a{i}", (i, WIDTH), ()), Operator(f"b{i}", (i, WIDTH), ())]
    graph = Graph(operators, tensors, [], "evictions")
    capacity = sum(sizes)
    found = schedule_for_traffic(graph, capacity, SearchSettings(max_states=1000))
    check_schedule(graph, found, capacity)
    assert found.stop == "work-limit"
    assert found.bound <= found.traffic
