"""Gives every buffer an offset in its arena."""

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, SymbolRefAttr, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, lifetimes_of
from xdsl_memplan.analysis.location import symbol_name
from xdsl_memplan.analysis.memories import Memories, Memory, ensure_arenas
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, planned_buffers, problem_of
from xdsl_memplan.analysis.reserved_ranges import (
    PlacedFunction,
    placed_function,
    reserved_ranges,
)
from xdsl_memplan.analysis.unseen_uses import check_all_is_seen
from xdsl_memplan.dialects.memplan import ARENA, PLAN, BufferOp, PlanAttr
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.transforms.capacity_report import CapacityExceeded, capacity_report
from xdsl_memplan.transforms.refuse_tensor_ir import refuse_tensor_ir

if TYPE_CHECKING:
    from xdsl_memplan.planners.plan import Effort


@dataclass(frozen=True)
class MemplanAssignOffsetsPass(ModulePass):
    """Give every buffer an offset in its arena, so that buffers which live together do not overlap.

    Before:

    ```mlir
    memplan.arena @L1 capacity 131072 alignment 64
    func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) {
      %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
      linalg.exp ins(%a : memref<16xf32>) outs(%y : memref<16xf32>)
      func.return
    }
    ```

    After:

    ```mlir
    memplan.arena @L1 capacity 131072 alignment 64 size 64
    func.func @main(...) attributes {memplan.plan = #memplan.plan<"...", 64, 64, 64>} {
      %a = memplan.buffer @L1 size 64 alignment 64 lifetime <0 : i64, 2 : i64> offset 0 : ...
    ```

    A buffer is a `memplan.buffer`, a `memref.alloc` or `memref.alloca`, or any operation with the
    trait `BufferLikeTrait`. Those that are not ours get the attributes `memplan.offset` (bytes) and
    `memplan.arena`.

    There is one problem per function and memory. Functions share the arenas, callees first: while a
    call runs, the callee owns the bytes below its peak. The function gets `memplan.plan` (with
    several memories a dictionary of plans by memory).

    Options:

    - `planner` (default: that of `xdsl_memplan.plan`): a name that `memplan planners` lists.
    - `seed` (0): for planners that use chance; the same seed gives the same offsets.
    - `effort` (`medium`): `low`, `medium`, `high` or `max`.
    - `threads` (1): more threads never change the result.
    - `memory` (none): `"L1=64KiB:align=64:base=0x1000,L2=1MiB"`; wins over the module's
    description.
    - `keep-lifetimes` (true): take the lifetimes in the IR where all buffers of a function have
    one;
      with `false`, and in functions with calls, they are computed anew.

    Requires buffer IR with static sizes. Fails if a capacity is exceeded, and says by what.
    """

    name = "memplan-assign-offsets"

    planner: str = ""
    seed: int = 0
    effort: str = "medium"
    threads: int = 1
    memory: str = ""
    keep_lifetimes: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Plan every function of the module ``op``, callees first.

        Raises PassFailedException for what cannot be planned, does not fit, or unknown names.
        """
        memories = Memories.of(op, self.memory)
        done: dict[str, PlacedFunction] = {}
        largest: dict[str, int] = {}
        alignments: dict[str, int] = {}
        analysed = lifetimes_of(op)
        check_all_is_seen(op, analysed)
        for function, lifetimes in analysed.items():
            has_calls = any(c.name == "func.call" for c in lifetimes.time.ticks)
            buffers = planned_buffers(
                lifetimes, memories, keep_lifetimes=self.keep_lifetimes and not has_calls
            )
            peaks = self._plan_function(lifetimes, buffers, memories, done)
            done[function.sym_name.data] = placed_function(lifetimes, buffers, peaks, done)
            for name, peak in peaks.items():
                largest[name] = max(largest.get(name, 0), peak)
            for buffer in buffers:
                name = buffer.memory.name
                alignments[name] = lcm(alignments.get(name, 1), buffer.alignment)
        if not largest:
            refuse_tensor_ir(op, self.name)
        arenas = ensure_arenas(op, [memories.by_name[name] for name in largest])
        for name, peak in largest.items():
            memory = memories.by_name[name]
            arenas[name].size = IntegerAttr(peak, i64)
            alignment = lcm(memory.alignment, alignments.get(name, 1))
            if memory.base is None or memory.base % alignment == 0:
                # Another base address is aligned as it is, and the offsets know it.
                arenas[name].alignment = IntegerAttr(alignment, i64)

    def _plan_function(
        self,
        lifetimes: FunctionLifetimes,
        buffers: list[PlannedBuffer],
        memories: Memories,
        callees: dict[str, PlacedFunction],
    ) -> dict[str, int]:
        plans: dict[str, Plan] = {}
        peaks: dict[str, int] = {}
        for memory in memories.by_name.values():
            mine = [buffer for buffer in buffers if buffer.memory is memory]
            reserved = reserved_ranges(lifetimes, memory, callees)
            if not mine and not reserved:
                continue
            if not mine:
                peaks[memory.name] = max(r.offset + r.size for r in reserved)
                continue
            result = self._plan(lifetimes, memory, problem_of(mine, memory, reserved))
            if memory.capacity is not None and result.peak > memory.capacity:
                report = capacity_report(lifetimes, memory, [*mine, *reserved], result)
                raise CapacityExceeded(report, result.peak - memory.capacity)
            for buffer, offset in zip(mine, result.offsets.tolist(), strict=False):
                buffer.trait.set_lifetime(buffer.op, buffer.lifetime)
                buffer.trait.set_offset(buffer.op, offset)
                if not isinstance(buffer.op, BufferOp):
                    buffer.op.attributes[ARENA] = SymbolRefAttr(memory.name)
            plans[memory.name] = result
            peaks[memory.name] = result.peak
        _write_plans(lifetimes, plans)
        return peaks

    def _plan(self, lifetimes: FunctionLifetimes, memory: Memory, problem: Problem) -> Plan:
        # The Rust core is loaded when it is needed: every start of xdsl-opt lists this pass.
        from xdsl_memplan.planners.errors import PlanningError
        from xdsl_memplan.planners.plan import DEFAULT_PLANNER, plan

        try:
            return plan(
                problem,
                planner=self.planner or DEFAULT_PLANNER,
                seed=self.seed,
                effort=cast("Effort", self.effort),
                threads=self.threads,
            )
        except (PlanningError, OverflowError) as error:
            where = f"@{symbol_name(lifetimes.function)}, memory '{memory.name}'"
            raise PassFailedException(f"{where}: {error}") from error


def _write_plans(lifetimes: FunctionLifetimes, plans: dict[str, Plan]) -> None:
    attributes = {
        name: PlanAttr.of(plan.planner, peak=plan.peak, load=plan.load, bound=plan.bound)
        for name, plan in plans.items()
    }
    if len(attributes) == 1:
        [lifetimes.function.attributes[PLAN]] = attributes.values()
    elif attributes:
        lifetimes.function.attributes[PLAN] = DictionaryAttr(attributes)
