"""Frees every buffer after its last use."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.memref import DeallocOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.last_use import LastUses
from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, lifetimes_of
from xdsl_memplan.analysis.planned_buffers import storage_operations
from xdsl_memplan.transforms.refuse_tensor_ir import refuse_tensor_ir


@dataclass(frozen=True)
class MemplanInsertDeallocsPass(ModulePass):
    """Free every buffer after its last use, uses through views, casts and addresses included.

    Before:

    ```mlir
    func.func @main(%x: memref<16xf32>) {
      %a = memref.alloc() : memref<16xf32>
      %v = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
      linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
      "test.op"(%v) : (memref<8xf32, strided<[1], offset: 8>>) -> ()
      func.return
    }
    ```

    After:

    ```mlir
      "test.op"(%v) : (memref<8xf32, strided<[1], offset: 8>>) -> ()
      memref.dealloc %a : memref<16xf32>
      func.return
    ```

    A use inside a region counts as one by the operation around it, so a buffer that a loop uses is
    freed behind the loop. What a block hands on (`return`, `scf.yield`) is not freed: who gets it
    has to; nor is what has a deallocation already. `memref.alloc` gets a `memref.dealloc`, stack
    memory and `memplan.buffer` nothing; an operation of another dialect what its
    `BufferLikeTrait.deallocation` returns, such as a barrier and an operation of that dialect.
    Options: none.

    Works before `memplan-assign-offsets` and after it.
    """

    name = "memplan-insert-deallocs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Insert deallocations in every function of the module ``op``.

        Raises PassFailedException for recursion, for memrefs in unstructured control flow, and for
        tensors where nothing has a buffer yet.
        """
        functions = lifetimes_of(op)
        if not any(map(storage_operations, functions)):
            refuse_tensor_ir(op, self.name)
        wanted = [found for lifetimes in functions.values() for found in _wanted(lifetimes)]
        for last, ops in wanted:
            Rewriter.insert_op(ops, InsertPoint.after(last))


def _wanted(lifetimes: FunctionLifetimes) -> list[tuple[Operation, list[Operation]]]:
    """Collect what to insert, each with the operation in front of it."""
    freed: set[SSAValue] = set()
    for op in lifetimes.function.walk():
        if isinstance(op, DeallocOp):
            freed.update(lifetimes.aliases.roots(op.memref))
    last_uses = LastUses(lifetimes)
    found: list[tuple[Operation, list[Operation]]] = []
    for op, trait in storage_operations(lifetimes.function):
        storage = trait.storage(op)
        last = None if storage in freed else last_uses.of(op, storage)
        ops = list(trait.deallocation(op)) if last is not None else []
        if last is not None and ops:
            found.append((_behind(last, ops), ops))
    return found


def _behind(last: Operation, ops: list[Operation]) -> Operation:
    """Return ``last``, or what comes behind it and makes an operand of the new ``ops``."""
    for operand in (operand for op in ops for operand in op.operands):
        owner = operand.owner
        if isinstance(owner, Operation) and owner.parent is last.parent:
            last = owner if last.is_before_in_block(owner) else last
    return last
