"""Schedules from outside: read, refused with their place, planned, and taken from STREAM."""

import io
import json
from pathlib import Path

import pytest

from xdsl_memplan.compat.stream import read_allocation
from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.given_schedule_json import given_schedule_document, read_given_schedule
from xdsl_memplan.model.check import check_plan
from xdsl_memplan.model.given_schedule import GivenSchedule, GivenTensor
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Pool
from xdsl_memplan.planners.plan import plan

TEXT = """{"ticks": 40,
 "memories": [{"name": "L1", "capacity": 1024, "base": 4096}],
 "tensors": [
  {"tensor": "a", "memory": "L1", "start": 0, "end": 12, "copies": 2, "size": 60, "alignment": 64},
  {"tensor": "b", "memory": "L1", "start": 8, "end": 40, "offset": 512, "size": 100},
  {"tensor": "b", "memory": "L2", "start": 0, "end": 40, "size": 100}]}"""


def test_a_schedule_is_read_written_and_planned():
    schedule = read_given_schedule(io.StringIO(TEXT))
    assert schedule.tensors[0] == GivenTensor("a", "L1", Lifetime(0, 12), 60, None, 2, 64)
    again = read_given_schedule(io.StringIO(json.dumps(given_schedule_document(schedule))))
    assert again == schedule
    problem = schedule.problem("L1")
    assert problem.sizes.tolist() == [124, 100]  # 64 + 60 for the copies
    assert problem.fixed == [(1, 512)]
    assert problem.capacity == 1024
    result = plan(problem)
    assert result.offsets[0] % 64 == 0
    assert check_plan(problem, result.offsets) == 612


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"end": 12', '"end": 41', r"f.json:4:3: tensor 'a': lifetime \[0, 41\) is outside of"),
        ('"start": 8, "end": 40', '"start": 8, "end": 7', "5:3: tensor 'b': ends at 7, before"),
        ('"offset": 512', '"offset": -1', "5:3: tensor 'b': offset .*-1"),
        ('"copies": 2', '"copies": 0', "4:3: tensor 'a': copies .*0"),
        ('"copies": 2', '"copy": 2', "4:3: a tensor has no 'copy'; it has alignment"),
        ('"memory": "L2"', '"memory": "L1"', "6:3: tensor 'b' is in L1 twice"),
        ('"memory": "L2"', '"memory": 3', "6:3: 'memory' is 3, not a name"),
        ('"capacity": 1024', '"capacity": "big"', "2:15: .*capacity of L1"),
        ('"memories": [', '"memories": [{"name": "L1"}, ', "2:31: memory 'L1' comes twice"),
        ('"ticks": 40,', '"ticks": 40', "2:2: not JSON"),
    ],
)
def test_what_is_wrong_has_a_place(old: str, new: str, message: str):
    with pytest.raises(FormatError, match=message):
        read_given_schedule(io.StringIO(TEXT.replace(old, new, 1)), "f.json")


ALLOCATION = Path(__file__).parent.parent / "data" / "stream" / "allocation.json"


def test_residency_that_stream_has_decided():
    text = ALLOCATION.read_text()
    schedule = read_allocation(io.StringIO(text), alignment=32)
    assert [(t.name, t.memory, t.size, t.copies) for t in schedule.tensors] == [
        ("Gemm0.W", "core0", 4096, 1),
        ("Gemm0.I", "core0", 512, 2),
        ("Gemm1.W", "core1", 2048, 1),
        ("Gemm0.O", "core1", 513, 1),  # five tiles do not divide 4104 bits into equal ones
    ]
    assert [(m.name, m.capacity) for m in schedule.memories] == [("core0", 65536), ("core1", 32768)]
    assert plan(schedule.problem("core0")).peak == 4096 + 2 * 512


def exported(name: str) -> GivenSchedule:
    with (ALLOCATION.parent / name).open(encoding="utf-8") as stream:
        return read_allocation(stream, alignment=64)


def test_what_stream_really_writes():
    """Two convolutions on four cores: 612,864 bits each, every tensor a multiple of 64 bytes."""
    schedule = exported("two_convolutions.json")
    assert [m.name for m in schedule.memories] == ["core0", "core1", "core2", "core3", "core6"]
    assert {t.name for t in schedule.tensors if t.memory == "core0"} == {
        *("conv1_out", "conv1_out_1", "input_1", "output_1", "weights_1_1", "weights_2_1"),
    }
    assert plan(schedule.problem("core0")).peak == 612864 // 8


def test_tensors_that_stream_leaves_out_have_their_room():
    """It lists the eight largest of a core: 589,824 bits of 593,920."""
    schedule = exported("swiglu_three_cores.json")
    mine = [t for t in schedule.tensors if t.memory == "core0"]
    assert len(mine) == 9
    assert (mine[-1].name, mine[-1].size) == ("core0.others", 4096 // 8)
    assert plan(schedule.problem("core0")).peak == 593920 // 8
    assert all(t.name != "core8.others" for t in schedule.tensors)


def test_lifetimes_and_memories_of_the_embedder():
    schedule = read_allocation(
        io.StringIO(ALLOCATION.read_text()),
        memories={0: Pool("L1", 8192, 0x1000)},
        lifetimes={"Gemm0.W": Lifetime(0, 100), "Gemm0.I": Lifetime(100, 300)},
    )
    assert [(t.memory, *t.lifetime) for t in schedule.tensors] == [
        *(("L1", 0, 100), ("L1", 100, 300)),
        *(("core1", 0, 300), ("core1", 0, 300)),
    ]
    assert plan(schedule.problem("L1")).peak == 4096


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema_version": "1.5"', '"schema_version": "2.0"', "schema_version is '2.0'"),
        ('"performance"', '"perf"', "performance is no JSON object"),
        ('"bits": 32768', '"bits": "many"', "tensor 'Gemm0.W': bits"),
    ],
)
def test_what_stream_did_not_write(old: str, new: str, message: str):
    with pytest.raises(FormatError, match=message):
        read_allocation(io.StringIO(ALLOCATION.read_text().replace(old, new, 1)))


def test_a_lifetime_of_no_tensor():
    with pytest.raises(FormatError, match=r"no core holds tensor 'Gemm9.W'"):
        read_allocation(io.StringIO(ALLOCATION.read_text()), lifetimes={"Gemm9.W": Lifetime(0, 1)})
