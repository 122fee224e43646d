"""The operations of a function's block that take part in a schedule, and who reads what.

Views, constants, empty tensors, fills and scalar arithmetic take no part: they follow whoever uses
them.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.analysis.side_effects import must_keep_order, only_asserts
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.queries import aliases_of

DYNAMIC_SIZE = "its size is known at run time only; only static shapes can be planned"


class BlockOperations:
    """Operations that take part, in the order of the block; regions move whole."""

    def __init__(
        self, function: FuncOp, follows: Callable[[Operation], bool], sharing: Sharing
    ) -> None:
        """Analyse a function; ``follows`` tells of an operation that takes time that it has none.

        Linear in the operations. Raises ValueError for several blocks.
        """
        if len(function.body.blocks) != 1:
            raise ValueError(f"@{function.sym_name.data} has more than one block; use scf")
        self.block = function.body.block
        self.last = self.block.last_op
        self._follows = follows
        self._sharing = sharing
        self._has_effects = not all(
            op is self.last or only_asserts(op, sharing.effects) for op in self.block.ops
        )
        """Whether any operation does more than compute and assert."""
        self.roots: dict[SSAValue, SSAValue] = {}
        """The tensor that a view shows."""
        self.readers: dict[SSAValue, list[Operation]] = {}
        """Operations that read a tensor, through views or not; the terminator is one."""
        self.operations = [op for op in self.block.ops if self._takes_part(op)]
        self.numbers_from = self._find_numbers()
        """Per operation: those that make numbers, such as elements of tensors, that it needs."""
        self._find_readers()

    def edges_of_numbers(self, parts: Sequence[Sequence[Operation]]) -> list[tuple[int, int]]:
        """Pairs of parts of which the second needs a number from the first; parts by index."""
        if not self.numbers_from:
            return []
        part_of = {op: i for i, operations in enumerate(parts) for op in operations}
        return sorted(
            {
                (part_of[maker], i)
                for op, i in part_of.items()
                for maker in self.numbers_from.get(op, ())
                if part_of[maker] != i
            }
        )

    def makes_numbers(self, op: Operation) -> bool:
        """Tell whether an operation makes numbers that somebody uses."""
        return any(r.first_use is not None and not is_tensor(r.type) for r in op.results)

    def root(self, value: SSAValue) -> SSAValue:
        """Return the tensor that ``value`` shows, which is itself if it is no view."""
        return self.roots.get(value, value)

    def keeps_order(self, op: Operation) -> bool:
        """Whether an operation must stay in order with the others that do."""
        return self._has_effects and must_keep_order(op, self._sharing.effects)

    def _takes_part(self, op: Operation) -> bool:
        if op is self.last or kind_of(op) is Kind.CONSTANT:
            return False
        if op.regions and not isinstance(op, LinalgStructuredOperation):
            return True
        effects = self._sharing.effects(op)
        if effects is None or effects.takes_time:
            return not self._follows(op)
        return must_keep_order(op, self._sharing.effects)

    def _find_numbers(self) -> dict[Operation, tuple[Operation, ...]]:
        """Follow numbers from who makes them, through what takes no part, to who needs them."""
        made: dict[SSAValue, frozenset[Operation]] = {}
        taking_part = set(self.operations)
        if not any(map(self.makes_numbers, self.operations)):
            return {}
        found: dict[Operation, tuple[Operation, ...]] = {}
        number = {op: i for i, op in enumerate(self.operations)}
        for op in self.block.ops:
            sources = frozenset[Operation]().union(*(made.get(v, ()) for v in values_used(op)))
            if op not in taking_part:
                made.update(dict.fromkeys(op.results, sources))
                continue
            if sources:
                found[op] = tuple(sorted(sources, key=number.__getitem__))
            for result in op.results:
                if not is_tensor(result.type):
                    made[result] = frozenset((op,))
        return found

    def _find_readers(self) -> None:
        for op in self.block.ops:
            for tie in aliases_of(op):
                if is_tensor(op.operands[tie.operand].type):
                    self.roots[op.results[tie.result]] = self.root(op.operands[tie.operand])
        for op in (*self.operations, self.last):
            if op is not None:
                for value in dict.fromkeys(self.root(value) for value in values_used(op)):
                    self.readers.setdefault(value, []).append(op)
