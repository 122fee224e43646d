"""What the pipeline does where buffers did not fit."""

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass
from xdsl_memplan.transforms.split_attempts import MOST_TRIES, run_for_less_room

MEMORY = "L1=64KiB,DDR"


def schedules(reserve: int) -> list[ModulePass]:
    return [MemplanSchedulePass(objective="traffic", memory=MEMORY, reserve=reserve)]


def reserve_of(passes: list[ModulePass]) -> int:
    [schedule] = passes
    assert isinstance(schedule, MemplanSchedulePass)
    return schedule.reserve


def test_more_room_is_left_until_the_buffers_fit():
    tried: list[int] = []

    def run(module: ModuleOp, passes: list[ModulePass]) -> None:
        reserve = reserve_of(passes)
        tried.append(reserve)
        if reserve < 2000:
            raise CapacityExceeded("too small", 1000)
        module.attributes["fits"] = UnitAttr()

    module = ModuleOp([])
    assert not run_for_less_room(module, schedules, run, MEMORY)
    # Each time by what was too much, and 256 bytes besides.
    assert tried == [0, 1256, 2512]
    assert "fits" in module.attributes


def test_what_never_fits_is_reported_and_changes_nothing():
    def run(module: ModuleOp, passes: list[ModulePass]) -> None:
        module.attributes["tried"] = UnitAttr()
        raise CapacityExceeded(f"reserve {reserve_of(passes)}", 1)

    module = ModuleOp([])
    failures = run_for_less_room(module, schedules, run, MEMORY)
    assert [str(error) for error in failures][:2] == ["reserve 0", "reserve 257"]
    assert len(failures) == MOST_TRIES
    assert not module.attributes


def test_no_more_is_left_free_than_there_is():
    tried: list[int] = []

    def run(module: ModuleOp, passes: list[ModulePass]) -> None:
        tried.append(reserve_of(passes))
        raise CapacityExceeded("too small", 1000)

    assert run_for_less_room(ModuleOp([]), schedules, run, "L1=48,DDR")
    # An eighth of the memory, and a sixteenth besides.
    assert tried == [0, 9, 18, 27, 36]
