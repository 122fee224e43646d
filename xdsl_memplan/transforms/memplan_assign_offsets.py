"""Gives every buffer an offset in its arena."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, SymbolRefAttr, i64
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.memories import ensure_arenas
from xdsl_memplan.dialects.memplan import ARENA, PLAN, BufferOp, PlanAttr
from xdsl_memplan.dialects.wishes import COPY_STRIDE
from xdsl_memplan.transforms.plan_memory import PlannerOptions
from xdsl_memplan.transforms.plan_module import FunctionPlan, PlacedBuffer, plan_module
from xdsl_memplan.transforms.refuse_tensor_ir import refuse_tensor_ir


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
    - `minimize` (true): with `false` a plan that fits its capacity is made smaller for a short time
      only. Functions that are called are made as small as with `true`.
    - `memory` (none): `"L1=64KiB:align=64:base=0x1000:banks=4,L2"`; wins over the module's
    description.
    - `keep-lifetimes` (true): take the lifetimes in the IR; with `false` they are computed anew.
      Where a buffer of a function has none, or a call takes memory, they have to be as computed.
    - `keep-offsets` (false): leave buffers that have an offset where they are, and place the others
      around them.

    A buffer may ask for its place: `memplan.fixed_offset`, `memplan.offset_range`,
    `memplan.candidates`, `memplan.copies` (see the page of this pass).

    Requires buffer IR with static sizes. Fails if a capacity is exceeded, and says by what.
    """

    name = "memplan-assign-offsets"

    planner: str = ""
    seed: int = 0
    effort: str = "medium"
    threads: int = 1
    minimize: bool = True
    memory: str = ""
    keep_lifetimes: bool = True
    keep_offsets: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Plan every function of the module ``op``, callees first.

        Raises PassFailedException for what cannot be planned, does not fit, or unknown names.
        """
        options = PlannerOptions(self.planner, self.seed, self.effort, self.threads, self.minimize)
        plan = plan_module(
            op,
            self.memory,
            options=options,
            keep_lifetimes=self.keep_lifetimes,
            keep_offsets=self.keep_offsets,
        )
        if not plan.peaks:
            refuse_tensor_ir(op, self.name)
        arenas = ensure_arenas(op, [plan.memories.by_name[name] for name in plan.peaks])
        for name, peak in plan.peaks.items():
            memory = plan.memories.by_name[name]
            arenas[name].size = IntegerAttr(peak, i64)
            alignment = plan.alignment(memory)
            if memory.base is None or memory.base % alignment == 0:
                # Another base address is aligned as it is, and the offsets know it.
                arenas[name].alignment = IntegerAttr(alignment, i64)
        for function in plan.functions:
            for buffer in function.buffers:
                _write(buffer)
            _write_plans(function)


def _write(buffer: PlacedBuffer) -> None:
    trait = buffer.planned.trait
    trait.set_lifetime(buffer.op, buffer.lifetime)
    trait.set_offset(buffer.op, buffer.offset)
    if buffer.copy_stride is not None:
        buffer.op.attributes[COPY_STRIDE] = IntegerAttr(buffer.copy_stride, i64)
    if isinstance(buffer.op, BufferOp):
        buffer.op.arena = SymbolRefAttr(buffer.memory.name)
    else:
        buffer.op.attributes[ARENA] = SymbolRefAttr(buffer.memory.name)


def _write_plans(planned: FunctionPlan) -> None:
    attributes = {
        name: PlanAttr.of(plan.planner, peak=plan.peak, load=plan.load, bound=plan.bound)
        for name, plan in planned.plans.items()
    }
    if len(attributes) == 1:
        [planned.function.attributes[PLAN]] = attributes.values()
    elif attributes:
        planned.function.attributes[PLAN] = DictionaryAttr(attributes)
