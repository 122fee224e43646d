"""Puts the bodies of functions in the place of their calls."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.memref import AllocaOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.referred_symbols import referred_symbols
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.inlined_bodies import InlinedBodies

_NO_INLINE = "no_inline"
"""Attribute of a function or a call in MLIR: it stays a call."""

_MOST_ADDED = 100_000
"""No more operations are copied in a module: bodies of bodies grow fast."""


@dataclass(frozen=True)
class MemplanInlineCallsPass(ModulePass):
    """Put the bodies of functions in the place of their calls.

    Before:

    ```mlir
    func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
      %y = func.call @relu(%x) : (tensor<16xf32>) -> tensor<16xf32>
      func.return %y : tensor<16xf32>
    }
    func.func private @relu(%a: tensor<16xf32>) -> tensor<16xf32> {
      %z = arith.constant dense<0.0> : tensor<16xf32>
      %r = linalg.max ins(%a, %z : tensor<16xf32>, tensor<16xf32>)
          outs(%z : tensor<16xf32>) -> tensor<16xf32>
      func.return %r : tensor<16xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
      %z = arith.constant dense<0.0> : tensor<16xf32>
      %r = linalg.max ins(%x, %z : tensor<16xf32>, tensor<16xf32>)
          outs(%z : tensor<16xf32>) -> tensor<16xf32>
      func.return %r : tensor<16xf32>
    }
    ```

    Exporters write functions for what the source had as functions (JAX one for `relu`, others one
    for a block that comes several times). Tiles go through operations of one function only. A
    constant tensor that several calls of a function bring is one constant.

    Options: none. Requires that no function calls itself. A call stays a call where the function
    has no body, has branches between blocks, allocates on the stack, or has the attribute
    `no_inline`, which a call may have, too; and once 100,000 operations were copied. A private
    function that nobody refers to any more is erased.
    """

    name = "memplan-inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inline the calls in the module ``op``; linear in the operations that it has then.

        Raises PassFailedException for functions that call each other in a cycle.
        """
        if not any(isinstance(inner, CallOp) for inner in operations_in(op)):
            return
        graph = CallGraph.of(op)
        inlined: dict[FuncOp, None] = {}
        room = _MOST_ADDED
        for function in graph.bottom_up:
            caller = _Caller(function, room)
            inlined |= caller.inline_calls(graph.functions)
            room = caller.room
        referred = {name for inner in operations_in(op) for name in referred_symbols(inner)}
        for function in inlined:
            visibility = function.sym_visibility
            is_private = visibility is not None and visibility.data == "private"
            if is_private and function.sym_name.data not in referred:
                Rewriter.erase_op(function)


@dataclass
class _Caller:
    """A function in which calls are replaced."""

    function: FuncOp
    room: int
    """How many operations may still be copied."""

    def inline_calls(self, functions: dict[str, FuncOp]) -> dict[FuncOp, None]:
        """Replace the calls of functions that have no calls to inline any more; return these."""
        inlined: dict[FuncOp, None] = {}
        bodies = InlinedBodies(self.function)
        for op in operations_in(self.function):
            callee = functions.get(op.callee.string_value()) if type(op) is CallOp else None
            if callee is None or _has_no_inline(op) or not _may_inline(callee):
                continue
            added = len(operations_in(callee))
            if added <= self.room:
                self.room -= added
                bodies.replace(op, callee)
                inlined[callee] = None
        return inlined


def _has_no_inline(op: Operation) -> bool:
    return _NO_INLINE in op.attributes or _NO_INLINE in op.properties


def _may_inline(function: FuncOp) -> bool:
    if len(function.body.blocks) != 1 or _has_no_inline(function):
        return False
    return not any(isinstance(op, AllocaOp) for op in operations_in(function))
