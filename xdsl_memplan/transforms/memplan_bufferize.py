"""Bufferization: tensors become buffers and memrefs."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException


@dataclass(frozen=True)
class MemplanBufferizePass(ModulePass):
    """Replace tensors by memrefs in as few buffers as possible, and write their lifetimes.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    ```

    After, with one buffer, as the second operation works in place:

    ```mlir
    memplan.arena @memory alignment 64
    func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
      %y = memplan.buffer @memory size 16 alignment 64 lifetime <0 : i64, 2 : i64> : memref<4xf32>
      linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      linalg.exp ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)
      return %y : memref<4xf32>
    }
    ```

    An operation writes where its result is wanted: over an operand that dies there, if each
    element is read before it is written; into the slice of a concatenation, a pad or an
    `insert_slice`; into what a loop carries. Reshapes and `extract_slice` are views. A tensor of
    equal elements is filled where it is needed, or becomes a scalar. What is not used is dropped. A
    `memref.copy` is left where a tensor is still read when its place is written anew. Function
    arguments and results become memrefs with an identity layout; an argument is written only if it
    has the attribute `memplan.writable` or `bufferization.writable`. Other constants become
    `memref.global`s.

    Options:

    - `alignment` (that of its memory, 64 if nothing is said): of each buffer, in bytes.
    - `memory` (none): `"L1=64KiB:align=64,L2=1MiB"`, the buffers go to the first; wins over the
      module's description.
    - `lifetimes` (true): write that of each buffer; `memplan-assign-offsets` finds them, too.
    - `in-place` (true): let operations write over operands that die; `false` is for measurements.

    Requires static sizes, structured control flow and operations that are known: those of `linalg`
    and `tensor`, `arith` and `math` on whole tensors, `scf`, `func` and `bufferization`. Fails
    otherwise, before the module is changed, and names the operation.
    """

    name = "memplan-bufferize"

    alignment: int | None = None
    memory: str = ""
    lifetimes: bool = True
    in_place: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Bufferize all functions of the module `op`.

        Raises PassFailedException for what cannot be bufferized and for options out of range.
        """
        # Loading the parts takes a moment, and every start of xdsl-opt lists this pass.
        from xdsl_memplan.transforms.bufferize.module import Options, bufferize_module

        if self.alignment is not None and self.alignment < 1:
            raise PassFailedException(f"option alignment: {self.alignment} is not positive")
        bufferize_module(op, Options(self.alignment, self.memory, self.in_place, self.lifetimes))
