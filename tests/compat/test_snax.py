"""snax-mlir's kernels through the adapter, with stand-ins for its dialect."""

import subprocess
import sys

import pytest
from xdsl.dialects import arith, llvm, memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.benchmark_module import BENCHMARKS, load_benchmark
from xdsl_memplan.compat.snax import allocate, plan_allocations
from xdsl_memplan.transforms.plan_module import ModulePlan

SNAX = load_benchmark("snax_stand_in")
HAZARDS = (BENCHMARKS / "data" / "snax" / "hazards.mlir").read_text().split("// -----")


def parse(text: str) -> ModuleOp:
    return Parser(SNAX.context(), text).parse_module()


def allocated(module: ModuleOp) -> ModulePlan:
    return allocate(module, SNAX, SNAX.MEMORIES.__getitem__, SNAX.create_memref_struct)


def addresses(module: ModuleOp) -> list[int]:
    """Read the addresses out of the IR, in the order of the file."""
    found: list[int] = []
    for op in module.walk():
        if isinstance(op, llvm.IntToPtrOp):
            constant = op.input.owner
            assert isinstance(constant, arith.ConstantOp)
            found.append(constant.value.value.data)
    return found


def test_every_kernel_needs_at_most_what_minimalloc_does():
    """Runs the benchmark, which fails otherwise; 20 ms each are checked there."""
    script = BENCHMARKS / "snax.py"
    result = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "| mlp | 2176 | 896 | 896 | 896 |" in result.stdout


@pytest.mark.parametrize(
    ("hazard", "distance"),
    [(0, 64), (2, 64), (3, 64), (4, 64)],
    ids=["subview", "caller and callee", "pointer", "layout cast"],
)
def test_what_lives_together_lies_apart(hazard: int, distance: int):
    module = parse(HAZARDS[hazard])
    plan = allocated(module)
    module.verify()
    first, second = addresses(module)
    assert abs(first - second) >= distance
    assert {first, second} == {0x10000000, 0x10000040}
    assert plan.peaks == {"L1": 128}


def test_an_allocation_in_a_loop_is_lowered_and_freed_there():
    module = parse(HAZARDS[1])
    allocated(module)
    assert addresses(module) == [0x10000000]
    [free] = [op for op in module.walk() if isinstance(op, memref.DeallocOp)]
    assert free.parent_op() is not None
    assert free.parent_op().name == "scf.for"


def test_a_barrier_and_a_deallocation_behind_the_last_use():
    """Through a layout cast: the last user is the last `test.op`."""
    module = parse(HAZARDS[4])
    allocated(module)
    ops: list[Operation] = list(module.walk())
    names = [op.name for op in ops]
    last = max(i for i, op in enumerate(ops) if "test.op" in (op.name, getattr(op, "name", "")))
    behind = [name for name in names[last + 1 :] if not name.startswith(("arith", "llvm"))]
    assert behind == ["snax.cluster_sync_op", "memref.dealloc"] * 2 + ["func.return"]


def test_a_size_that_is_no_constant_is_refused_and_nothing_is_changed():
    text = HAZARDS[1].replace(
        "%c64 = arith.constant 64 : index", '%c64 = "test.op"() : () -> index'
    )
    module = parse(text)
    before = str(module)
    with pytest.raises(PassFailedException, match=r"'%0 = snax.alloc'|'snax.alloc' .*of @nested"):
        allocated(module)
    assert str(module) == before


def test_a_size_that_is_no_constant_but_has_a_bound():
    module = parse(
        HAZARDS[1].replace("%c64 = arith.constant 64 : index", '%c64 = "test.op"() : () -> index')
    )
    for op in module.walk():
        if isinstance(op, SNAX.Alloc):
            op.attributes["memplan.size_bound"] = IntegerAttr(96, i64)
    plan = allocated(module)
    assert addresses(module) == [0x10000000]
    assert plan.peaks == {"L1": 96}


def test_a_memory_that_is_too_small():
    memories = {"L1": SNAX.Memory(100, 0x10000000)}
    with pytest.raises(PassFailedException, match="'L1' is too small for @subview: required 128"):
        plan_allocations(parse(HAZARDS[0]), SNAX, memories.__getitem__)
