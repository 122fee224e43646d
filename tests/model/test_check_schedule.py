from dataclasses import replace

import pytest

from xdsl_memplan.model.check_schedule import ScheduleError, check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

# x -> a -> b -> c, and a is read again at the end: with 12 bytes it must go out and come back.
GRAPH = Graph(
    [
        Operator("a", (0,), (1,)),
        Operator("b", (1,), (2,)),
        Operator("c", (2,), (3,)),
        Operator("d", (1, 3), (4,)),
    ],
    [
        Tensor("x", 4, "input"),
        Tensor("a", 4),
        Tensor("b", 8),
        Tensor("c", 4),
        Tensor("d", 4, "output"),
    ],
)
CAPACITY = 12


@pytest.fixture
def schedule() -> Schedule:
    found = schedule_for_traffic(GRAPH, CAPACITY)
    check_schedule(GRAPH, found, CAPACITY)
    assert found.traffic == found.bound == 8
    return found


def refuse(schedule: Schedule, message: str, capacity: int = CAPACITY):
    with pytest.raises(ScheduleError, match=message):
        check_schedule(GRAPH, schedule, capacity)


def test_order(schedule: Schedule):
    refuse(replace(schedule, order=[0, 2, 1, 3]), "operator c runs before b|is not on chip|make")
    refuse(replace(schedule, order=[0, 1, 2]), "no permutation")


def test_presence(schedule: Schedule):
    stays = [stay for stay in schedule.stays if stay.tensor != 3]
    refuse(replace(schedule, stays=stays), "tensor c is not on chip while c runs")


def test_loads_need_a_copy(schedule: Schedule):
    stays = [stay._replace(is_spilled=False) for stay in schedule.stays]
    refuse(replace(schedule, stays=stays), "tensor a is loaded but is not off chip")


def test_overlap(schedule: Schedule):
    stays = [stay._replace(offset=0) for stay in schedule.stays]
    refuse(replace(schedule, stays=stays), "share bytes")


def test_capacity(schedule: Schedule):
    refuse(schedule, "addresses end at 12, the capacity is 11", 11)


def test_claims(schedule: Schedule):
    refuse(replace(schedule, traffic=7), r"not \(12, 12, 7\) as claimed")
    refuse(replace(schedule, bound=9), "the value 8 is below its bound 9")
    stays = [s._replace(is_spilled=s.is_spilled and s.tensor != 4) for s in schedule.stays]
    refuse(replace(schedule, stays=stays), "output d is never written")
