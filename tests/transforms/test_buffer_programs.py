"""Plans of random programs on buffers hold when a machine runs them; spoiled ones are refused."""

import random
from collections import Counter

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.buffer_programs import (
    Generator,
    Lost,
    Machine,
    allocations,
    check_wishes,
    parse,
)
from xdsl_memplan.transforms.memplan_annotate_lifetimes import MemplanAnnotateLifetimesPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.plan_module import plan_module

REASONS = {
    "is too small for": "capacity",
    "the loop hands this memory": "loop",
    "memory it returns is still needed": "call",
    "may be an argument or memory of the callee": "returned",
    "is fixed at": "pins",
    "do not fit into the range": "ranges",
    "found no offsets for what must lie": "ranges",
    "different banks": "banks",
    "wants one buffer in two banks": "banks",
    "more than a bank": "banks",
    "no bank is left": "banks",
}
"""Why a program may be refused; every message names an operation or a function."""
RUNS = 8


def losses(module: ModuleOp, banks: dict[str, tuple[int, int]]) -> list[str]:
    """Run the functions with several branches and trip counts; returns what went wrong."""
    found: list[str] = []
    for seed in range(RUNS):
        for name in Machine(module, 0, banks).functions:
            try:
                Machine(module, seed, banks).run(name)
            except Lost as lost:
                found.append(str(lost))
            except StopIteration:
                pass
    return found


def check_program(seed: int) -> str:
    """Plan a program, run it, spoil the plan; returns `planned` or why it was refused."""
    rng = random.Random(-seed - 1)
    text = Generator(seed).module()
    module = parse(text)
    capacity, base = rng.choice([512, 1024, 4096, 65536]), rng.choice([0, 64, 100])
    memory = f"L1={capacity}:banks=4:base={base}:align={rng.choice([1, 16, 64])},L2"
    banks = {"L1": (4, capacity), "L2": (1, 1 << 40)}
    if rng.random() < 0.3:
        try:
            MemplanAnnotateLifetimesPass().apply(Context(), module)
        except PassFailedException as error:
            return reason(error)
    before = str(module)
    try:
        plan = plan_module(module, memory)
        assert str(module) == before
        MemplanAssignOffsetsPass(memory=memory).apply(Context(), module)
    except PassFailedException as error:
        assert str(module) == before
        return reason(error)
    module.verify()
    for buffer in plan.buffers:
        assert buffer.planned.trait.get_offset(buffer.op) == buffer.offset
        assert buffer.lifetime == buffer.planned.trait.get_lifetime(buffer.op)
    MemplanVerifyPass().apply(Context(), module)
    check_wishes(module, {"L1": capacity, "L2": None}, base)
    assert not losses(module, banks), text

    made = list(allocations(module))
    if len(made) > 1:
        one, other = rng.sample(made, 2)
        one.attributes["memplan.offset"] = other.attributes["memplan.offset"]
        one.attributes["memplan.arena"] = other.attributes["memplan.arena"]
        at = one.attributes["memplan.offset"]
        assert isinstance(at, IntegerAttr)
        one.attributes["memplan.offset"] = IntegerAttr(
            max(at.value.data - rng.randrange(2), 0), i64
        )
        if losses(module, banks):
            with pytest.raises(PassFailedException):
                MemplanVerifyPass().apply(Context(), module)
    return "planned"


def reason(error: PassFailedException) -> str:
    message = str(error)
    assert "@" in message, message
    found = [name for part, name in REASONS.items() if part in message]
    assert found, message
    return found[0]


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_plans_hold_when_they_are_run(first: int):
    seen = Counter(check_program(seed) for seed in range(first, first + 20))
    assert seen["planned"] >= 5, seen
