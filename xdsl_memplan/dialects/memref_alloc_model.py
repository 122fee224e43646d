"""`memref.alloc` and `memref.alloca` as buffers: lifetime and offset are discardable attributes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.dialects.memref import AllocaOp, AllocOp, DeallocOp
from xdsl.ir import Attribute, Operation

from xdsl_memplan.dialects.annotated_buffer import AnnotatedBuffer
from xdsl_memplan.dialects.memref_size import size_bytes


@dataclass(frozen=True)
class MemrefAllocModel(AnnotatedBuffer):
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

    def deallocation(self, op: Operation) -> Sequence[Operation]:
        """`memref.dealloc`; nothing for what lies on the stack."""
        return (DeallocOp.get(op.results[0]),) if isinstance(op, AllocOp) else ()
