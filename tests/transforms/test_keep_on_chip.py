"""Tensors that stay on chip from the group that makes them to those that read them."""

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network, Value
from tests.transforms.random_networks import random_network
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, in_layers, run, same
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_keep_on_chip import MemplanKeepOnChipPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

Emit = Literal["auto", "unroll", "loop"]
TILES, ROOM = 6144, 32768
"""Bytes that groups are found for, and that tensors are kept in."""


def products(*, read_again: str = "whole", returned: bool = False) -> str:
    """Products in a chain, the first of which is read again at the end: all of it, or a part."""
    n = Network()
    first = n.matmul(n.argument(8, 64), 64)
    last = first
    for _ in range(3):
        last = n.matmul(last, 64)
    again: dict[str, Value] = {
        "whole": first,
        "slice": n.slice_of(first, [2, 0], [4, 64]),
        "reshaped": n.reshape(first, "[[0, 1], [2]]", 2, 4, 64),
    }
    if read_again == "slice":
        last = n.each("addf", again["slice"], n.slice_of(last, [0, 0], [4, 64]))
    elif read_again == "reshaped":
        last = n.each("addf", again["reshaped"], n.reshape(last, "[[0, 1], [2]]", 2, 4, 64))
    else:
        last = n.each("addf", first, last)
    return n.text(last, first) if returned else n.text(last)


def shared_weight() -> str:
    """One weight that all products read."""
    n = Network()
    x, w = n.argument(8, 64), n.argument(64, 64)
    for _ in range(4):
        x = n.relu(n.product(x, w))
    return n.text(x)


PROGRAMS = {
    "whole": products(),
    "slice": products(read_again="slice"),
    "reshaped": products(read_again="reshaped"),
    "returned": products(returned=True),
    "weight": shared_weight(),
}


def groups_of(text: str, tiles: int = TILES) -> ModuleOp:
    module = in_layers(text)
    MemplanGroupPass(memory=f"L1={tiles},DDR", threads=1).apply(full_context(), module)
    return module


def keep(module: ModuleOp, capacity: int, reserve: int = 0) -> None:
    MemplanKeepOnChipPass(f"L1={capacity},DDR", reserve).apply(full_context(), module)
    module.verify()


def counted(module: ModuleOp) -> int:
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


def moved(module: ModuleOp) -> int:
    bytes_of = (off_chip_bytes(op) for op in module.walk() if isinstance(op, FuncOp))
    return sum(count or 0 for count in bytes_of)


def check(text: str, tiles: int, capacity: int, emit: Emit) -> int:
    """Keep, expand, plan; each form computes the same. Returns the bytes saved."""
    context = full_context()
    inputs = arrays_for(parse(text))
    expected = run(parse(text), inputs)
    module = groups_of(text, tiles)
    before = counted(module)
    keep(module, capacity)
    after = counted(module)
    MemplanExpandGroupsPass(emit=emit).apply(context, module)
    module.verify()
    assert moved(module) <= after
    same(expected, run(module, inputs))
    MemplanBufferizePass(memory=f"L1={capacity},DDR").apply(context, module)
    MemplanAssignOffsetsPass().apply(context, module)
    MemplanVerifyPass().apply(context, module)
    same(expected, run(module, inputs))
    return before - after


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_compute_the_same(name: str, emit: Emit):
    assert check(PROGRAMS[name], TILES, ROOM, emit) > 0


# 2048 bytes are stored once and fetched once; of a slice half is fetched; what is returned is
# stored all the same.
@pytest.mark.parametrize(
    ("name", "saved"), [("whole", 4096), ("slice", 3072), ("reshaped", 4096), ("returned", 2048)]
)
def test_what_is_saved(name: str, saved: int):
    module = groups_of(PROGRAMS[name])
    before = counted(module)
    keep(module, ROOM)
    assert before - counted(module) == saved
    MemplanExpandGroupsPass().apply(full_context(), module)
    assert moved(module) == before - saved


def test_a_weight_comes_once():
    module = groups_of(shared_weight())
    fetched = sum(len(op.inputs) for op in module.walk() if isinstance(op, GroupOp))
    before = counted(module)
    keep(module, ROOM)
    (load,) = [op for op in module.walk() if isinstance(op, LoadOp)]
    assert load.source is next(op for op in module.walk() if isinstance(op, FuncOp)).args[1]
    readers = {use.operation for use in load.result.uses if isinstance(use.operation, GroupOp)}
    assert 1 < len(readers) < fetched
    assert before - counted(module) == (len(readers) - 1) * 64 * 64 * 4


@pytest.mark.parametrize("short", [0, 1])
def test_there_is_just_enough_room(short: int):
    """Between the groups that make and read it each leaves the rest of its own peak."""
    module = groups_of(products())
    peaks = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    stores = [op for op in module.walk() if isinstance(op, StoreOp)]
    assert len(stores) == 1
    keep(module, max(peaks) + 2048 - short)
    assert [op for op in module.walk() if isinstance(op, StoreOp)] == (stores if short else [])


def test_a_second_time_nothing_changes():
    """What groups say that they need has in it what stays on chip beside them."""
    module = groups_of(products())
    keep(module, ROOM)
    peaks = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert peaks == [TILES + 2048 if 0 < n < 3 else peak for n, peak in enumerate(peaks)]
    before = str(module)
    keep(module, max(peaks))
    assert str(module) == before


def test_room_that_is_to_be_left_is_left():
    text = str(groups_of(products()))
    module = parse(text)
    keep(module, ROOM, reserve=ROOM - TILES)
    assert str(module) == str(parse(text))


def test_a_number_below_zero_is_refused():
    with pytest.raises(PassFailedException, match="reserve=-1 is less than 0"):
        keep(groups_of(products()), ROOM, reserve=-1)


def test_without_a_capacity_nothing_changes():
    module = groups_of(products())
    before = str(module)
    MemplanKeepOnChipPass("L1,DDR").apply(full_context(), module)
    assert str(module) == before


@pytest.mark.parametrize(
    ("text", "capacity", "moved"),
    [
        # Groups in less room leave enough for the first product, and for what is returned.
        (products(), 8192, 69632),
        (products(returned=True), 10240, 71680),
    ],
)
def test_the_pipeline_keeps_them(
    text: str, capacity: int, moved: int, capsys: pytest.CaptureFixture[str]
):
    """The same bytes as in twice the room: each is moved once."""
    for room in (capacity, 2 * capacity):
        MemplanPipelinePass(memory=f"L1={room},DDR", stage="all", summary=True).apply(
            full_context(), parse(text)
        )
        assert f"@main: {moved} bytes move" in capsys.readouterr().err


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1 << 32), emit=st.sampled_from(["unroll", "auto", "loop"]))
def test_random_networks(seed: int, emit: Emit):
    """Groups for little room, of which there are many, in four times that."""
    text = random_network(seed, 8)
    for tiles in (512, 1024, 2048, 4096, 8192):
        try:
            groups_of(text, tiles)
        except PassFailedException:
            continue
        assert check(text, tiles, 4 * tiles, emit) >= 0
        return
