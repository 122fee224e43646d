"""A tensor that is off chip already is not written again."""

from dataclasses import replace

import pytest

from xdsl_memplan.model.check_schedule import ScheduleError, check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.model.schedule import Schedule, Stay
from xdsl_memplan.scheduling.replacement import RULES, replace_in_order
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

CAPACITY = 10


def twice_in_the_way(kept: Tensor) -> Graph:
    """There is one order. b and c fill the chip, and later e and f; ``kept`` is needed around."""
    make = Operator("make", (), (0,))
    ops = [] if kept.is_source else [make]
    ops += [
        Operator("op1", (0,), (1,)),
        Operator("op2", (1,), (2,)),
        Operator("op3", (0, 2), (3,)),
        Operator("op4", (3,), (4,)),
        Operator("op5", (4,), (5,)),
        Operator("op6", (0, 5), (6,)),
    ]
    others = [Tensor(name, size) for name, size in (("b", 5), ("c", 5), ("d", 1), ("e", 5))]
    return Graph(ops, [kept, *others, Tensor("f", 5), Tensor("g", 1, "output")])


def stays_of_kept(found: Schedule) -> list[Stay]:
    return [stay for stay in found.stays if stay.tensor == 0]


def test_a_tensor_evicted_twice_is_written_once():
    graph = twice_in_the_way(Tensor("a", 2))
    found = schedule_for_traffic(graph, CAPACITY)
    check_schedule(graph, found, CAPACITY)
    assert [stay.is_loaded for stay in stays_of_kept(found)] == [False, True, True]
    assert [stay.is_spilled for stay in stays_of_kept(found)] == [True, False, False]
    # Two bytes out, two back, two back.
    assert (found.traffic, found.bound) == (6, 6)


@pytest.mark.parametrize("kind", ["input", "parameter"])
def test_what_is_off_chip_at_first_is_never_written(kind: str):
    graph = twice_in_the_way(Tensor("a", 2, kind))
    found = schedule_for_traffic(graph, CAPACITY)
    check_schedule(graph, found, CAPACITY)
    assert [stay.is_loaded for stay in stays_of_kept(found)] == [True, True, True]
    assert not any(stay.is_spilled for stay in stays_of_kept(found))
    # The first read has to be; two bytes back, twice.
    assert (found.traffic, found.bound) == (4, 4)


def test_an_output_that_comes_back_is_written_once():
    graph = twice_in_the_way(Tensor("a", 2, "output"))
    found = schedule_for_traffic(graph, CAPACITY)
    check_schedule(graph, found, CAPACITY)
    # Its one write has to be, whenever it is.
    assert sum(stay.is_spilled for stay in stays_of_kept(found)) == 1
    assert (found.traffic, found.bound) == (4, 4)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["activation", "input"])
def test_replacement_rules_write_it_once_at_most(rule: str, kind: str):
    graph = twice_in_the_way(Tensor("a", 2, kind))
    found = replace_in_order(graph, range(len(graph.operators)), CAPACITY, rule)
    check_schedule(graph, found, CAPACITY)
    assert sum(stay.is_spilled for stay in stays_of_kept(found)) == (kind == "activation")


def test_the_checker_counts_a_second_write():
    graph = twice_in_the_way(Tensor("a", 2))
    found = schedule_for_traffic(graph, CAPACITY)
    stays = [stay._replace(is_spilled=stay.is_spilled or stay.tensor == 0) for stay in found.stays]
    again = replace(found, stays=stays)
    with pytest.raises(ScheduleError, match=r"\(10, 10, 10\), not \(10, 10, 6\) as claimed"):
        check_schedule(graph, again, CAPACITY)
