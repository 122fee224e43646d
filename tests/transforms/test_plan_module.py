"""`plan_module`: places, lifetimes and last users, and the IR as it was."""

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, linalg, memref, scf, test
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.dialects.memplan import Memplan
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.plan_memory import PlannerOptions
from xdsl_memplan.transforms.plan_module import ModulePlan, plan_module

DIALECTS = (
    *(arith.Arith, builtin.Builtin, func.Func, linalg.Linalg),
    *(memref.MemRef, scf.Scf, test.Test, Memplan),
)


def parse(text: str) -> builtin.ModuleOp:
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


CHAIN = """
func.func @main(%x: memref<16xf32>) -> memref<16xf32, "L1"> {
  %a = memref.alloc() : memref<16xf32, "L1">
  %b = memref.alloc() : memref<16xf32, "L1">
  %c = memref.alloc() : memref<16xf32, "L1">
  %d = memref.alloc() : memref<32xf32, "L2">
  %e = memref.alloc() : memref<16xf32, "L1">
  "memref.copy"(%x, %a) {one} : (memref<16xf32>, memref<16xf32, "L1">) -> ()
  "memref.copy"(%a, %b) {two} : (memref<16xf32, "L1">, memref<16xf32, "L1">) -> ()
  "test.op"(%d) ({
    "memref.copy"(%b, %c) : (memref<16xf32, "L1">, memref<16xf32, "L1">) -> ()
  }) {three} : (memref<32xf32, "L2">) -> ()
  func.return %c : memref<16xf32, "L1">
}"""


def user_names(plan: ModulePlan) -> list[str | None]:
    return [
        None if b.last_user is None else next(iter(b.last_user.attributes), b.last_user.name)
        for b in plan.buffers
    ]


def test_what_it_says_of_each_buffer():
    module = parse(CHAIN)
    before = str(module)
    plan = plan_module(module, "L1=64KiB:base=0x1000,L2=1MiB")
    assert str(module) == before
    assert [b.memory.name for b in plan.buffers] == ["L1", "L1", "L1", "L2", "L1"]
    assert [tuple(b.lifetime) for b in plan.buffers] == [(0, 2), (1, 3), (2, 3), (2, 3), (0, 0)]
    assert [b.size for b in plan.buffers] == [64, 64, 64, 128, 64]
    assert user_names(plan) == ["two", "three", None, "three", "memref.alloc"]
    assert plan.peaks == {"L1": 128, "L2": 128}
    a, b, c, d, _ = plan.buffers
    assert a.offset == c.offset != b.offset
    assert a.address == 0x1000 + a.offset
    assert d.address == d.offset


def test_the_pass_writes_what_it_says():
    module = parse(CHAIN)
    memories = [Memory("L1", 65536, 64, 0x1000), Memory("L2")]
    plan = plan_module(module, memories, options=PlannerOptions(planner="exact"))
    MemplanAssignOffsetsPass(planner="exact", memory="L1=64KiB:base=0x1000,L2").apply(
        Context(), module
    )
    for buffer in plan.buffers:
        assert buffer.planned.trait.get_offset(buffer.op) == buffer.offset
        assert buffer.op.attributes["memplan.arena"].string_value() == buffer.memory.name


@pytest.mark.parametrize(
    ("memories", "error", "message"),
    [
        ("L1=64KiB", PassFailedException, r"operation 4 of @main\): unknown memory 'L2'"),
        ("L1=100,L2", CapacityExceeded, "'L1' is too small for @main: required 128 bytes"),
    ],
)
def test_nothing_is_changed_by_what_cannot_be(
    memories: str, error: type[PassFailedException], message: str
):
    module = parse(CHAIN)
    before = str(module)
    with pytest.raises(error, match=message):
        MemplanAssignOffsetsPass(memory=memories).apply(Context(), module)
    assert str(module) == before


def test_the_function_where_most_is_missing_is_told():
    """Before, it was the callee, and with as much as that took its caller did not fit."""
    body = """%a = memref.alloc() : memref<32xf32>
  "test.op"(%a) : (memref<32xf32>) -> ()"""
    text = f"""func.func private @callee() {{
  {body}
  func.return
}}
func.func @main() {{
  {body}
  func.call @callee() : () -> ()
  "test.op"(%a) : (memref<32xf32>) -> ()
  func.return
}}"""
    with pytest.raises(CapacityExceeded, match="for @main: required 256 bytes") as refusal:
        plan_module(parse(text), "L1=100")
    assert refusal.value.excess_bytes == 156
    assert plan_module(parse(text), "L1=256").peaks == {"L1": 256}


@pytest.mark.parametrize("minimize", [False, True])
def test_without_minimizing_it_fits_where_it_can_and_says_what_is_missing(minimize: bool):
    options = PlannerOptions(minimize=minimize)
    plan = plan_module(parse(CHAIN), "L1=64KiB,L2=1MiB", options=options)
    assert plan.peaks == {"L1": 128, "L2": 128}
    with pytest.raises(CapacityExceeded, match="required 128 bytes"):
        plan_module(parse(CHAIN), "L1=100,L2", options=options)
