"""Wrong graphs and options through every way in: a named error; odd but right ones: an answer."""

from collections.abc import Callable, Sequence

import pytest

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import schedule_by_parts
from xdsl_memplan.scheduling.errors import InvalidGraphError, InvalidOptionError
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.oracle import solve_exactly
from xdsl_memplan.scheduling.pareto import pareto_curve
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.replacement import four_baselines
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

X, Y, Z = Tensor("x", 4, "input"), Tensor("y", 8), Tensor("z", 2, "output")
F, G = Operator("f", (0,), (1,)), Operator("g", (1,), (2,))
CAPACITY = 14


def graph(
    operators: Sequence[Operator] = (F, G),
    tensors: Sequence[Tensor] = (X, Y, Z),
    edges: Sequence[tuple[int, int]] = (),
) -> Graph:
    return Graph(operators, tensors, edges)


def ways_in(given: Graph) -> dict[str, Callable[[], Sequence[Schedule]]]:
    order = range(len(given.operators))

    def oracle() -> list[Schedule]:
        found = solve_exactly(given, CAPACITY).schedule
        return [found] if found else []

    return {
        "peak": lambda: [schedule_for_peak(given)],
        "traffic": lambda: [schedule_for_traffic(given, CAPACITY)],
        "order": lambda: [schedule_in_order(given, order, CAPACITY)],
        "parts": lambda: [schedule_by_parts(given, CAPACITY, 1)],
        "baselines": lambda: list(four_baselines(given, CAPACITY).values()),
        "curve": lambda: [schedule for _, schedule in pareto_curve(given, 3)],
        "oracle": oracle,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (graph([Operator("f", (2,), (1,)), G]), "the graph has a cycle: g -> f -> g"),
        (graph([Operator("f", (1,), (1,)), G]), "the graph has a cycle: f -> f"),
        (graph(edges=[(1, 0)]), "the graph has a cycle: g -> f -> g"),
        (graph(edges=[(0, 0)]), "the graph has a cycle: f -> f"),
        (graph(edges=[(0, 9)]), r"edge \(0, 9\) names operator 9, which does not exist"),
        (graph(edges=[(-1, 0)]), r"edge \(-1, 0\) names operator -1, which does not exist"),
        (graph([G]), "tensor 'y' is neither an input nor made by an operator"),
        (graph([F, Operator("g", (0,), (1, 2))]), "'y' is made by operator 'f' and by"),
        (graph([Operator("f", (0,), (1, 1)), G]), "'y' is made by operator 'f' and by"),
        (graph([Operator("f", (), (0, 1)), G]), "'x' is an input but operator 'f' makes it"),
        (graph([Operator("f", (7,), (1,)), G]), "operator 'f' uses tensor 7, which does not"),
        (graph([Operator("f", (-1,), (1,)), G]), "operator 'f' uses tensor -1, which does not"),
        (graph(tensors=[Tensor("x", -4, "input"), Y, Z]), "tensor 'x': -4 bytes is not in"),
        (graph(tensors=[Tensor("x", 2**63, "input"), Y, Z]), "bytes is not in 0"),
        (graph(tensors=[Tensor("x", 2**62, "input"), Y, Z]), "add up to more than 2\\^63 - 1"),
        (graph(tensors=[Tensor("x", 1.5, "input"), Y, Z]), "1.5 bytes is not an integer"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_wrong_graphs_are_refused_by_name(given: Graph, message: str):
    for run in ways_in(given).values():
        with pytest.raises(InvalidGraphError, match=message):
            run()


@pytest.mark.parametrize(
    "given",
    [
        graph([], []),
        graph([Operator("f", (0, 0), (1,)), Operator("g", (1, 1), (2,))]),
        graph([Operator("f", (0,), (1, 2))]),
        graph([Operator("f", (), (1,)), G]),
        graph([Operator("f", (0,), (1,)), Operator("f", (1,), (2,))]),
        graph(tensors=[Tensor("x", 4, "input"), Tensor("x", 8), Tensor("x", 2, "output")]),
        graph(tensors=[Tensor("x", 0, "input"), Tensor("y", 0), Tensor("z", 0, "output")]),
        graph([Operator("nothing", (), ()), F, G], edges=[(2, 0)]),
    ],
    ids=["empty", "twice", "unread", "unused", "one name", "one id", "no bytes", "no tensors"],
)
def test_odd_graphs_have_schedules(given: Graph):
    for way, run in ways_in(given).items():
        if way in ("order", "baselines") and given.edges:
            continue  # The order of the list is not one of this graph.
        for found in run():
            check_schedule(given, found, CAPACITY)
            assert found.traffic == 0, way


def test_an_operator_that_does_not_fit_is_named_by_all():
    for run in (
        lambda: schedule_for_traffic(graph(), 11),
        lambda: schedule_in_order(graph(), [0, 1], 11),
        lambda: schedule_by_parts(graph(), 11),
        lambda: four_baselines(graph(), 11),
    ):
        with pytest.raises(InvalidGraphError, match=r"operator 'f' .* 12 bytes \(M_R\)"):
            run()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (SearchSettings(max_states=-1), "max_states -1 is not an integer in 0"),
        (SearchSettings(max_memory_bytes=2**70), "max_memory_bytes .* is not an integer in 0"),
        (SearchSettings(seed=-1), "seed -1 is not an integer in 0"),
        (SearchSettings(time_limit_seconds=-1.0), "time limit -1 is not a number of seconds"),
        (SearchSettings(without=["speed"]), "unknown reduction 'speed'"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_wrong_settings_are_refused_by_name(settings: SearchSettings, message: str):
    with pytest.raises(InvalidOptionError, match=message):
        schedule_for_traffic(graph(), CAPACITY, settings)


@pytest.mark.parametrize("capacity", [-1, 2**63, 1.5])
def test_capacities_are_numbers_of_bytes(capacity: int):
    for run in (schedule_for_traffic, four_baselines):
        with pytest.raises(InvalidOptionError, match=f"capacity {capacity} is not an integer in 0"):
            run(graph(), capacity)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0], "the order has 1 operators, the graph 2"),
        ([0, 0], "the order names operator 0 twice"),
        ([0, 5], "the order names operator 5, which does not exist"),
        ([0, -1], "the order names operator -1, which does not exist"),
        ([1, 0], "the order runs operator 'g' before 'f', which it needs"),
    ],
)
def test_wrong_orders_are_refused(order: list[int], message: str):
    with pytest.raises(InvalidGraphError, match=message):
        schedule_in_order(graph(), order, CAPACITY)
