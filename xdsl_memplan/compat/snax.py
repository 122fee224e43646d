"""snax-mlir's L1 allocation by memplan: an adapter for its pass `snax-allocate`.

`snax.alloc` returns an LLVM struct that is cast to a memref. Its size is a constant operand, its
memory space the name of a memory of snax-mlir's context. In `SnaxAllocatePass.apply` a mode is

    case "memplan":
        from xdsl_memplan.compat.snax import allocate
        allocate(op, snax, get_memory, create_memref_struct)

The adapter imports nothing of snax-mlir: its dialect and functions are handed in, so that it works
with whatever version calls. Measured with snapshot 81c8837 (February 2026); see docs/embed.md.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from xdsl.context import Context
from xdsl.dialects import arith, llvm, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.dialects.annotated_buffer import AnnotatedBuffer
from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.dialects.interface_models import NoAccess, ViewOf
from xdsl_memplan.dialects.interfaces import attach
from xdsl_memplan.dialects.layout_span import attach_layout_offset
from xdsl_memplan.transforms.memplan_insert_deallocs import MemplanInsertDeallocsPass
from xdsl_memplan.transforms.plan_module import ModulePlan, PlannerOptions, plan_module


class SnaxDialect(Protocol):
    """The classes of `snaxc.dialects.snax` that matter here: the module itself will do."""

    Alloc: type[Any]
    LayoutCast: type[Any]
    ClusterSyncOp: type[Any]
    MCycleOp: type[Any]


class SnaxMemory(Protocol):
    """A memory of snax-mlir: capacity in bytes, address of its first byte."""

    @property
    def capacity(self) -> int:
        """Bytes."""
        ...

    @property
    def start(self) -> int:
        """Address."""
        ...


Descriptor = Callable[[Any, SSAValue], tuple[Operation, Sequence[Operation]]]
"""`create_memref_struct`: an allocation and a pointer; returns the struct and what makes it."""


@dataclass(frozen=True)
class SnaxAllocModel(AnnotatedBuffer):
    """`snax.alloc`: size from its operand, and a barrier of the cluster before it is freed."""

    barrier: Callable[[], Operation]

    def size_bytes(self, op: Operation) -> int | None:
        """The first operand, if it is a constant."""
        return integer_constant(op.operands[0])

    def alignment(self, op: Operation) -> int:
        """The `alignment` of the operation; 1 if it has none."""
        alignment = op.get_attr_or_prop("alignment")
        return max(alignment.value.data, 1) if isinstance(alignment, IntegerAttr) else 1

    def memory_space(self, op: Operation) -> Attribute | None:
        """The `memory_space` of the operation."""
        return op.get_attr_or_prop("memory_space")

    def deallocation(self, op: Operation) -> Sequence[Operation]:
        """A barrier, as who reuses the bytes may run on another core, and `memref.dealloc`."""
        memrefs = _memrefs(op)
        return (self.barrier(), memref.DeallocOp.get(memrefs[0])) if memrefs else ()


def attach_models(snax: SnaxDialect, tsl_layout: type[Attribute] | None = None) -> None:
    """Tell memplan about the operations of snax-mlir; once, or again and again.

    ``tsl_layout`` is `TiledStridedLayoutAttr`, whose affine map leaves its offset out; it matters
    for `memref.alloc` with such layouts, before `memref-to-snax`.
    """
    attach(snax.Alloc, SnaxAllocModel(snax.ClusterSyncOp), NoAccess())
    attach(snax.LayoutCast, ViewOf(0), NoAccess())
    for op_class in (snax.ClusterSyncOp, snax.MCycleOp):
        attach(op_class, NoAccess())
    if tsl_layout is not None:
        attach_layout_offset(tsl_layout, lambda layout: layout.data.offset)


def plan_allocations(
    module: ModuleOp,
    snax: SnaxDialect,
    get_memory: Callable[[str], SnaxMemory],
    options: PlannerOptions | None = None,
) -> ModulePlan:
    """Plan all `snax.alloc` of ``module`` and leave it as it is.

    Raises PassFailedException with the allocation for a size that is no constant or a capacity that
    is exceeded, and what ``get_memory`` raises for a memory it does not know.
    """
    attach_models(snax)
    return plan_module(module, _memories(module, snax, get_memory), options=options)


def allocate(
    module: ModuleOp,
    snax: SnaxDialect,
    get_memory: Callable[[str], SnaxMemory],
    create_memref_struct: Descriptor,
    options: PlannerOptions | None = None,
) -> ModulePlan:
    """Replace all `snax.alloc` of ``module`` by constant addresses, free them after the last use.

    Every `memref.dealloc` follows a barrier of the cluster. Returns the plan, with the bytes of
    each memory in `peaks`. Raises as `plan_allocations`; nothing is changed then.
    """
    plan = plan_allocations(module, snax, get_memory, options)
    MemplanInsertDeallocsPass().apply(Context(), module)
    for buffer in plan.buffers:
        if not isinstance(buffer.op, snax.Alloc):
            continue
        address = arith.ConstantOp.from_int_and_width(buffer.address, i32)
        pointer = llvm.IntToPtrOp(address.result)
        struct, ops = create_memref_struct(buffer.op, pointer.output)
        Rewriter.replace_op(buffer.op, [address, pointer, *ops], struct.results)
    return plan


def _memories(
    module: ModuleOp, snax: SnaxDialect, get_memory: Callable[[str], SnaxMemory]
) -> list[Memory]:
    found: dict[str, Memory] = {}
    for op in _allocations(module, snax):
        space = op.get_attr_or_prop("memory_space")
        if isinstance(space, StringAttr) and space.data not in found:
            memory = get_memory(space.data)
            found[space.data] = Memory(space.data, memory.capacity, 1, memory.start)
    return list(found.values())


def _allocations(module: ModuleOp, snax: SnaxDialect) -> Iterable[Operation]:
    return (op for op in module.walk() if isinstance(op, snax.Alloc))


def _memrefs(op: Operation) -> list[SSAValue]:
    users = (use.operation for use in op.results[0].uses)
    return [r for user in users for r in user.results if isinstance(r.type, MemRefType)]
