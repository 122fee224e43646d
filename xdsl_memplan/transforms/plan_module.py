"""Plans the buffers of a module and leaves the IR as it is: what an embedder calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import lcm

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.last_use import LastUses
from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, lifetimes_of
from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, planned_buffers
from xdsl_memplan.analysis.reserved_ranges import (
    PlacedFunction,
    placed_function,
    reserved_ranges,
)
from xdsl_memplan.analysis.unseen_uses import check_all_is_seen
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.transforms.bank_assignment import assign_banks
from xdsl_memplan.transforms.capacity_report import CapacityExceeded, capacity_report
from xdsl_memplan.transforms.memory_choice import choose_memories
from xdsl_memplan.transforms.plan_memory import PlannerOptions, plan_memory


@dataclass(frozen=True)
class PlacedBuffer:
    """One buffer with its place. Sizes and offsets are bytes, lifetimes ticks of the function."""

    planned: PlannedBuffer
    offset: int
    """Counted from the first byte of the memory."""
    last_user: Operation | None
    """The operation after which a deallocation may go, in the block of `op`.

    None if the block hands the buffer on: it is returned, or yielded to what is around it. A buffer
    that nobody uses has itself as last user.
    """

    @property
    def op(self) -> Operation:
        """The operation that makes the storage."""
        return self.planned.op

    @property
    def value(self) -> SSAValue:
        """The value that stands for the storage."""
        return self.planned.trait.storage(self.planned.op)

    @property
    def memory(self) -> Memory:
        """The memory that it lies in."""
        return self.planned.memory

    @property
    def size(self) -> int:
        """Bytes that are reserved, for all copies together."""
        return self.planned.size

    @property
    def copy_stride(self) -> int | None:
        """Bytes from one copy to the next; None for a buffer with one copy."""
        return self.planned.copy_stride

    @property
    def lifetime(self) -> Lifetime:
        """The ticks at which its contents are needed; empty if they never are."""
        return self.planned.lifetime

    @property
    def address(self) -> int:
        """The address of its first byte; the offset if the memory has no base address."""
        return (self.planned.memory.base or 0) + self.offset


@dataclass(frozen=True)
class FunctionPlan:
    """The buffers of one function in the order of the file."""

    function: FuncOp
    buffers: Sequence[PlacedBuffer]
    plans: dict[str, Plan]
    """What the planner said, by name of the memory; no entry where no buffer is."""
    peaks: dict[str, int]
    """Bytes that the function takes of each memory it uses, those of its callees included."""


@dataclass(frozen=True)
class ModulePlan:
    """The plan of a module, functions in the order in which they were planned, callees first."""

    functions: Sequence[FunctionPlan]
    memories: Memories
    peaks: dict[str, int] = field(default_factory=dict[str, int])
    """Bytes that each memory has to hold, by its name, for the memories that are in use."""

    @property
    def buffers(self) -> Iterator[PlacedBuffer]:
        """All buffers of the module."""
        for function in self.functions:
            yield from function.buffers

    def alignment(self, memory: Memory) -> int:
        """Bytes that the first byte of a memory has to be aligned to, for all that lies in it."""
        mine = (b.planned.alignment for b in self.buffers if b.memory == memory)
        return lcm(memory.alignment, *mine)


def plan_module(
    module: ModuleOp,
    memories: str | Sequence[Memory] = (),
    *,
    options: PlannerOptions | None = None,
    keep_lifetimes: bool = True,
    keep_offsets: bool = False,
) -> ModulePlan:
    """Give every buffer of ``module`` a memory and an offset, and change nothing in the IR.

    There is one problem per function and memory, callees first, as in `memplan-assign-offsets`,
    which writes what this returns.

    Args:
        module: buffer IR with static sizes.
        memories: as `Memory` objects or as the text of the passes' option, such as
            ``"L1=64KiB:align=64:base=0x1000,L2=1MiB"``. They win over what the module says. The
            first is for buffers that name none.
        options: the planner and its options.
        keep_lifetimes: take the lifetimes in the IR. Where a buffer of a function has none, or a
            call takes memory, those that are there have to be as they are computed.
        keep_offsets: leave buffers that have an offset where they are.

    Raises PassFailedException with the operation for what cannot be planned, its subclass
    `CapacityExceeded` for what does not fit: of the function where most is missing.
    """
    known = Memories.of(module, memories)
    analysed = lifetimes_of(module)
    check_all_is_seen(module, analysed)
    options = options or PlannerOptions()
    done: dict[str, PlacedFunction] = {}
    functions: list[FunctionPlan] = []
    exceeded: list[CapacityExceeded] = []
    # What a callee takes is missing where it is called.
    ticks = (op for lifetimes in analysed.values() for op in lifetimes.time.ticks)
    called = {op.callee.string_value() for op in ticks if isinstance(op, CallOp)}
    for function, lifetimes in analysed.items():
        buffers = planned_buffers(
            lifetimes,
            known,
            keep_lifetimes=keep_lifetimes,
            keep_offsets=keep_offsets,
            calls=[op for op in lifetimes.time.ticks if _takes_memory(op, done)],
        )
        is_called = function.sym_name.data in called
        own = replace(options, minimize=options.minimize or is_called)
        planner = _FunctionPlanner(lifetimes, known, done, own, exceeded)
        functions.append(planner.plan(buffers))
        placed = {b.value: (b.memory.name, b.offset, b.size) for b in functions[-1].buffers}
        done[function.sym_name.data] = placed_function(lifetimes, placed, functions[-1].peaks, done)
    if exceeded:
        # What calls a function that does not fit needs more.
        raise max(exceeded, key=lambda error: error.excess_bytes)
    peaks: dict[str, int] = {}
    for function in functions:
        for name, peak in function.peaks.items():
            peaks[name] = max(peaks.get(name, 0), peak)
    return ModulePlan(functions, known, peaks)


def _takes_memory(op: Operation, done: dict[str, PlacedFunction]) -> bool:
    callee = done.get(op.callee.string_value()) if isinstance(op, CallOp) else None
    return callee is not None and any(callee.peaks.values())


@dataclass
class _FunctionPlanner:
    """Places the buffers of one function around what its calls take."""

    lifetimes: FunctionLifetimes
    memories: Memories
    callees: dict[str, PlacedFunction]
    options: PlannerOptions
    exceeded: list[CapacityExceeded]
    """What does not fit is added here."""

    def plan(self, buffers: list[PlannedBuffer]) -> FunctionPlan:
        offsets: dict[Operation, int] = {}
        plans: dict[str, Plan] = {}
        peaks: dict[str, int] = {}
        buffers = choose_memories(buffers, self.memories.by_name, self.tentative)
        buffers = assign_banks(self.lifetimes, buffers)
        for memory in self.memories.by_name.values():
            mine = [buffer for buffer in buffers if buffer.memory is memory]
            reserved = reserved_ranges(self.lifetimes, memory, self.callees)
            if not mine and not reserved:
                continue
            if not mine:
                peaks[memory.name] = max(r.offset + r.size for r in reserved)
                continue
            result = plan_memory(self.lifetimes, memory, mine, reserved, self.options)
            if memory.capacity is not None and result.peak > memory.capacity:
                report = capacity_report(
                    self.lifetimes,
                    memory,
                    [*mine, *reserved],
                    result,
                    others=len(self.memories.by_name) > 1,
                )
                self.exceeded.append(CapacityExceeded(report, result.peak - memory.capacity))
            offsets |= {b.op: o for b, o in zip(mine, result.offsets.tolist(), strict=False)}
            plans[memory.name] = result
            peaks[memory.name] = result.peak
        last = LastUses(self.lifetimes)
        placed = [
            PlacedBuffer(b, offsets[b.op], last.of(b.op, b.trait.storage(b.op))) for b in buffers
        ]
        return FunctionPlan(self.lifetimes.function, placed, plans, peaks)

    def tentative(self, memory: Memory, mine: list[PlannedBuffer]) -> Plan:
        """Plan as if ``mine`` were all that goes to ``memory``, banks left out."""
        reserved = reserved_ranges(self.lifetimes, memory, self.callees)
        return plan_memory(self.lifetimes, memory, mine, reserved, self.options)
