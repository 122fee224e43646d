"""Memories by preference and banks on random programs: what comes out keeps every rule."""

import random

import pytest
from xdsl.context import Context
from xdsl.dialects import builtin, func, memref, test
from xdsl.parser import Parser

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.plan_module import plan_module

CAPACITY = 1024


def parse(text: str) -> builtin.ModuleOp:
    context = Context()
    for dialect in (builtin.Builtin, func.Func, memref.MemRef, test.Test):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def program(seed: int) -> str:
    """Operations that write a new buffer and read up to two earlier ones."""
    rng = random.Random(seed)
    lines = ["func.func @main() {"]
    types: list[str] = []
    for i in range(rng.randint(3, 14)):
        types.append(f"memref<{rng.choice([16, 32, 48, 64, 112])}xf32>")
        lines.append(f'  %b{i} = memref.alloc() {{memplan.candidates = ["L1", "L2"]}} : {types[i]}')
        used = sorted({i, *(rng.randrange(i + 1) for _ in range(2))})
        apart = f"array<i64: 0, {len(used) - 1}>"
        mark = f"{{memplan.different_banks = {apart}}} " if len(used) == 2 else ""
        operands = ", ".join(f"%b{j}" for j in used)
        lines.append(f'  "test.op"({operands}) {mark}: ({", ".join(types[j] for j in used)}) -> ()')
    return "\n".join([*lines, "  func.return", "}"])


@pytest.mark.parametrize("seed", range(30))
def test_l1_holds_what_it_can(seed: int):
    """With banks left out: nothing that is in L2 alone fits into what L1 has left at any tick."""
    text = program(seed).replace("memplan.different_banks", "ignored")
    module = parse(text)
    plan = plan_module(module, [Memory("L1", CAPACITY), Memory("L2")])
    buffers = list(plan.buffers)
    assert plan.peaks.get("L1", 0) <= CAPACITY
    inside = [b for b in buffers if b.memory.name == "L1"]
    load = [
        sum(b.size for b in inside if b.lifetime.start <= t < b.lifetime.end)
        for t in range(max(b.lifetime.end for b in buffers))
    ]
    for buffer in buffers:
        ticks = range(*buffer.lifetime)
        if buffer.memory.name == "L2":
            assert max(load[t] for t in ticks) + buffer.size > CAPACITY
    MemplanAssignOffsetsPass(memory=f"L1={CAPACITY},L2").apply(Context(), module)
    MemplanVerifyPass().apply(Context(), module)


@pytest.mark.parametrize("seed", range(30))
def test_operands_lie_in_different_banks(seed: int):
    module = parse(program(seed))
    banks = 16
    memory = Memory("L1", 16 * 4096, banks=banks)
    plan = plan_module(module, [memory, Memory("L2")])
    place = {b.value: b for b in plan.buffers}
    for op in module.walk():
        if "memplan.different_banks" in op.attributes:
            first, last = (place[value] for value in (op.operands[0], op.operands[-1]))
            bank = {(b.offset // 4096, (b.offset + b.size - 1) // 4096) for b in (first, last)}
            assert len(bank) == 2
            assert all(low == high for low, high in bank)
    MemplanAssignOffsetsPass(memory="L1=64KiB:banks=16,L2").apply(Context(), module)
    MemplanVerifyPass().apply(Context(), module)
