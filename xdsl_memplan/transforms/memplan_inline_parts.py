"""Puts the tiles of parts where the parts were."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.groups import SPLIT
from xdsl_memplan.dialects.off_chip import HOME, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.parts import PART, PARTS
from xdsl_memplan.transforms.inlined_bodies import InlinedBodies
from xdsl_memplan.transforms.noted_bytes import note_bytes


@dataclass(frozen=True)
class MemplanInlinePartsPass(ModulePass):
    """Put the tiles of parts where the parts were.

    Before:

    ```mlir
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
      %r = func.call @main.part0(%s, %w) : (...) -> tensor<8x64xf32>
      scf.yield %r : tensor<8x64xf32>
    }
    ```

    After:

    ```mlir
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
      %s0 = memplan.load %s[0, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
      ...
      scf.yield %r : tensor<8x64xf32>
    }
    ```

    Functions with `memplan.part` are those of `memplan-outline-parts`; they are erased.

    Options:

    - `memory` (none): `"L1=256KiB,DDR"`; wins over the module's description. The second one is the
      memory off chip. Without a second one `memplan.home` is left out.
    """

    name = "memplan-inline-parts"

    memory: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inline the parts in the module ``op``; linear in its operations."""
        _, *others = Memories.of(op, self.memory).by_name
        functions = [inner for inner in op.body.ops if isinstance(inner, FuncOp)]
        parts = {inner.sym_name.data: inner for inner in functions if PART in inner.attributes}
        for function in functions:
            if PARTS in function.attributes:
                _inline(function, parts, others[0] if others else None)
        for part in parts.values():
            Rewriter.erase_op(part)


def _inline(function: FuncOp, parts: dict[str, FuncOp], home: str | None) -> None:
    del function.attributes[PARTS]
    calls = [op for op in operations_in(function) if isinstance(op, CallOp)]
    called = {op: parts[name] for op in calls if (name := op.callee.string_value()) in parts}
    if home is not None:
        for op in operations_in(function):
            if any(is_tensor(result.type) for result in op.results) and op not in called:
                op.attributes[HOME] = StringAttr(home)
    bodies = InlinedBodies(function)
    for op, part in called.items():
        bodies.replace(op, part)
        if SPLIT in part.attributes:
            function.attributes[SPLIT] = UnitAttr()
    if any(TRAFFIC in part.attributes for part in called.values()):
        # No bound is known for all parts together.
        function.attributes[TRAFFIC] = DictionaryAttr({})
        note_bytes(function)
