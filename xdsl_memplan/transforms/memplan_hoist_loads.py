"""Brings what is the same in all iterations of a loop on chip before the loop."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from math import inf

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.executions import executions
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import HOME
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp
from xdsl_memplan.transforms.noted_bytes import note_bytes


@dataclass(frozen=True)
class MemplanHoistLoadsPass(ModulePass):
    """Bring what is the same in all iterations of a loop on chip before the loop.

    Before:

    ```mlir
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
      %v = memplan.load %w[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> to tensor<64x64xf32>
      ...
    } {memplan.home = "DDR"}
    ```

    After:

    ```mlir
    %v = memplan.load %w[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> to tensor<64x64xf32>
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
      ...
    } {memplan.home = "DDR"}
    ```

    What is loaded takes room on chip for as long as the loop runs, and is loaded once. The same
    part of a tensor is there once.

    Options:

    - `which` (all): numbers of the loads that move, counted from those that save the most bytes.

    Loops are those of the program, which have `memplan.home`; others are of tiles.
    """

    name = "memplan-hoist-loads"

    which: tuple[int, ...] | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move loads in every function of the module ``op``; n log n in its operations.

        Raises PassFailedException for a number that no load has.
        """
        found = loads_to_hoist(op)
        which = range(len(found)) if self.which is None else self.which
        if wrong := [number for number in which if not 0 <= number < len(found)]:
            raise PassFailedException(
                f"memplan-hoist-loads: option which={wrong[0]}: there are {len(found)} loads to "
                "move, counted from 0"
            )
        known: dict[Hashable, LoadOp] = {}
        for load in (found[number] for number in which):
            first = known.setdefault(load.what, load.op)
            if first is load.op:
                load.hoist()
            else:
                load.op.result.replace_all_uses_with(first.result)
                Rewriter.erase_op(load.op)
        for function in {load.function: None for load in found}:
            note_bytes(function)


@dataclass(frozen=True)
class LoadToHoist:
    """A load that is the same in all iterations of a loop."""

    op: LoadOp
    loop: Operation
    """The outermost loop of which that holds."""
    function: FuncOp

    @cached_property
    def saved_bytes(self) -> float:
        """How many bytes fewer are loaded if it stands before the loop."""
        times = executions(self.op, self.function)
        before = executions(self.loop, self.function)
        fewer = inf if times is None or before is None else times - before
        return fewer * (size_bytes(self.op.result.type) or 0)

    @property
    def what(self) -> Hashable:
        """Equal for loads of the same part before the same loop."""
        op = self.op
        numbers = op.static_offsets, op.static_sizes, op.static_strides, op.result.type
        return (self.loop, tuple(op.operands), *numbers)

    def hoist(self) -> None:
        """Move the load before the loop."""
        self.op.detach()
        block = self.loop.parent
        assert block is not None
        block.insert_op_before(self.op, self.loop)


def loads_to_hoist(module: ModuleOp) -> list[LoadToHoist]:
    """List loads that can stand before a loop and save bytes there, those first that save most."""
    found: list[LoadToHoist] = []
    for function in operations_in(module):
        if not isinstance(function, FuncOp):
            continue
        for op in operations_in(function):
            if isinstance(op, LoadOp) and (loop := _loop_without(op)) is not None:
                found.append(LoadToHoist(op, loop, function))
    found = [load for load in found if load.saved_bytes > 0]
    return sorted(found, key=lambda load: load.saved_bytes, reverse=True)


def _loop_without(op: LoadOp) -> Operation | None:
    """The outermost loop around a load in which nothing is made that it needs."""
    found: Operation | None = None
    parent = op.parent_op()
    while isinstance(parent, scf.ForOp | scf.WhileOp) and HOME in parent.attributes:
        loop = parent
        if any(loop.is_ancestor(operand.owner) for operand in op.operands):
            break
        found = loop
        parent = loop.parent_op()
    return found
