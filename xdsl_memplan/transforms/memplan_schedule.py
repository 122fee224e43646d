"""Puts operations in a better order, and moves tensors off chip where there is no room."""

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

_OBJECTIVES = ("peak", "traffic", "fit")


@dataclass(frozen=True)
class MemplanSchedulePass(ModulePass):
    """Reorder operations for the least memory, or for the fewest bytes moved off chip.

    Before:

    ```mlir
    func.func @main(%x: tensor<64xf32>, %w: tensor<64x4xf32>) -> tensor<4xf32> {
      %big = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      %other = linalg.log ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      %a = linalg.vecmat ins(%big, %w : ...) outs(%z : tensor<4xf32>) -> tensor<4xf32>
      %b = linalg.vecmat ins(%other, %w : ...) outs(%z : tensor<4xf32>) -> tensor<4xf32>
    ```

    After: `%big` is gone before `%other` is made.

    ```mlir
    func.func @main(%x: tensor<64xf32>, %w: tensor<64x4xf32>) -> tensor<4xf32> {
      %big = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      %a = linalg.vecmat ins(%big, %w : ...) outs(%z : tensor<4xf32>) -> tensor<4xf32>
      %other = linalg.log ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      %b = linalg.vecmat ins(%other, %w : ...) outs(%z : tensor<4xf32>) -> tensor<4xf32>
    ```

    Operations that nobody needs are dropped. Those with regions move whole; uses come after
    definitions, and operations with other side effects keep their order, but for assertions where
    there are no other effects. With `objective=peak` what is minimised is the most bytes live at
    once after `memplan-bufferize`, with operations working in place; an order that does not need
    less memory than that of the file is not taken. With `objective=traffic` the function is brought
    under the capacity of the first memory: `memplan.spill` copies a tensor to the second memory,
    `memplan.retrieve` copies it back, and the function gets `memplan.traffic`, the bytes moved and
    the bound that is proved. With `objective=fit` it is `peak`, and `traffic` only for functions
    that do not fit then, if there is a second memory; a function that cannot be analysed is left as
    it is.

    A function with `memplan.load`, `memplan.store` or `memplan.carry` keeps its order under every
    objective, and nothing is spilled: whoever wrote them has decided about both.

    Options:

    - `objective` (`peak`): `peak`, `traffic` or `fit`.
    - `memory` (none): `"L1=256KiB,DDR"`, on-chip memory with its capacity, then the one off chip
      (`off_chip` if there is only one); wins over the module's description.
    - `order` (`optimize`): with `keep`, the order of the file stays and only spills are inserted.
    - `max-states` (2000000): work that the search may do per function; what it has then is taken.
    - `reserve` (0): bytes of the on-chip memory that tensors moved off chip and back leave free.

    Requires functions on tensors of static size, with one block each.
    """

    name = "memplan-schedule"

    objective: str = "peak"
    memory: str = ""
    order: Literal["optimize", "keep"] = "optimize"
    max_states: int = 2_000_000
    reserve: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Schedule every function with a body in the module ``op``.

        Raises PassFailedException for unknown options, for a function that cannot be scheduled,
        and for an operation that does not fit the capacity.
        """
        # Loading the search takes a moment, and every start of xdsl-opt lists this pass.
        from xdsl_memplan.analysis.operator_graph import OperatorGraph
        from xdsl_memplan.analysis.sharing import Sharing
        from xdsl_memplan.dialects.groups import SPLIT
        from xdsl_memplan.dialects.region_moves import has_region_moves
        from xdsl_memplan.transforms.bufferize.explicit_copies import make_copies_explicit
        from xdsl_memplan.transforms.bufferize.unread import drop_unread
        from xdsl_memplan.transforms.schedule_fit import schedule_to_fit
        from xdsl_memplan.transforms.schedule_peak import (
            functions_with_body,
            graph_to_schedule,
            is_straight_line,
            schedule_for_least_peak,
        )
        from xdsl_memplan.transforms.schedule_traffic import (
            DEFAULT_OFF_CHIP,
            schedule_for_least_traffic,
            two_memories,
        )

        if self.reserve < 0:
            raise PassFailedException(f"option reserve: {self.reserve} is negative")
        if self.max_states < 1:
            raise PassFailedException(f"option max-states: {self.max_states} is not positive")
        if self.objective not in _OBJECTIVES:
            raise PassFailedException(
                f"option objective: unknown '{self.objective}'; known are {', '.join(_OBJECTIVES)}"
            )
        keep = self.order == "keep"
        on_chip, off_chip = two_memories(op, self.memory)
        for function in functions_with_body(op):
            if SPLIT in function.attributes or has_region_moves(function):
                continue
            sharing = Sharing()
            if is_straight_line(function):
                drop_unread(function, sharing)
                make_copies_explicit(function, sharing)
            match self.objective:
                case "peak":
                    if not keep:
                        schedule_for_least_peak(graph_to_schedule(function), self.max_states)
                case "traffic":
                    target = off_chip or DEFAULT_OFF_CHIP
                    schedule_for_least_traffic(
                        function, on_chip, target, keep, self.max_states, self.reserve
                    )
                case _:
                    # Nobody asked for an order: what cannot be analysed stays as it is.
                    try:
                        graph = OperatorGraph.of(function, sharing=sharing)
                    except ValueError:
                        continue
                    schedule_to_fit(graph, on_chip, off_chip, keep, self.max_states, self.reserve)
