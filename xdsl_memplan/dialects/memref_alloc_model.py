"""`memref.alloc` and `memref.alloca` as buffers: lifetime and offset are discardable attributes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType, NoneAttr, i64
from xdsl.dialects.memref import AllocaOp, AllocOp, DeallocOp
from xdsl.ir import Attribute, Operation

from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memplan import LIFETIMES, OFFSET, LifetimeAttr
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.model.lifetime import Lifetime


@dataclass(frozen=True)
class MemrefAllocModel(BufferLikeTrait):
    """Size and space from the type, alignment from the operation."""

    def size_bytes(self, op: Operation) -> int | None:
        """Bytes of the memref; None if a size is dynamic."""
        return size_bytes(op.results[0].type)

    def alignment(self, op: Operation) -> int | None:
        """The `alignment` of the operation."""
        assert isinstance(op, AllocOp | AllocaOp)
        return None if op.alignment is None else op.alignment.value.data

    def memory_space(self, op: Operation) -> Attribute | None:
        """The memory space of the type."""
        type = op.results[0].type
        assert isinstance(type, MemRefType)
        return None if isinstance(type.memory_space, NoneAttr) else type.memory_space

    def get_lifetime(self, op: Operation) -> Lifetime | None:
        """The only entry of `memplan.lifetimes`."""
        match op.attributes.get(LIFETIMES):
            case ArrayAttr(data=(LifetimeAttr() as lifetime,)):
                return lifetime.lifetime
            case _:
                return None

    def set_lifetime(self, op: Operation, lifetime: Lifetime) -> None:
        """Write `memplan.lifetimes`."""
        op.attributes[LIFETIMES] = ArrayAttr([LifetimeAttr.of(lifetime)])

    def get_offset(self, op: Operation) -> int | None:
        """The attribute `memplan.offset`."""
        offset = op.attributes.get(OFFSET)
        return offset.value.data if isinstance(offset, IntegerAttr) else None

    def set_offset(self, op: Operation, offset: int) -> None:
        """Write `memplan.offset`."""
        op.attributes[OFFSET] = IntegerAttr(offset, i64)

    def deallocation(self, op: Operation) -> Sequence[Operation]:
        """`memref.dealloc`; nothing for what lies on the stack."""
        return (DeallocOp.get(op.results[0]),) if isinstance(op, AllocOp) else ()
