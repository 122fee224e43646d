"""What may share a buffer: the one place that says which result may lie where which operand does.

| way | of | needs |
|-|-|-|
| over | an operand that is read element by element, or changed | nobody reads it later on chip |
| part | what is put into a larger tensor: concatenations, pads, insertions | it is made there |

Order search, traffic search and bufferization ask here; when an operand is not needed any more,
each of them knows for itself. The answers are derived from the traits of `dialects.interfaces`.
"""

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.ir import Operation

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.interfaces import Access, Effects, Tie
from xdsl_memplan.dialects.queries import destinations_of, effects_of, overwrites_of
from xdsl_memplan.dialects.region_moves import StoreOp


class Sharing:
    """What the operations of one function may share; each is asked its traits once."""

    def __init__(self) -> None:
        self._destinations: dict[Operation, Sequence[Tie]] = {}
        self._effects: dict[Operation, Effects | None] = {}
        self._over: dict[Operation, frozenset[tuple[int, int]]] = {}
        self._overwritable: dict[tuple[Operation, int], list[int]] = {}

    def destinations(self, op: Operation) -> Sequence[Tie]:
        """As `queries.destinations_of`."""
        known = self._destinations.get(op)
        if known is None:
            known = self._destinations[op] = destinations_of(op)
        return known

    def effects(self, op: Operation) -> Effects | None:
        """As `queries.effects_of`."""
        if op not in self._effects:
            self._effects[op] = effects_of(op)
        return self._effects[op]

    def over(self, op: Operation) -> frozenset[tuple[int, int]]:
        """Pairs of result and operand of which the one may be written over the other."""
        known = self._over.get(op)
        if known is None:
            known = frozenset((tie.result, tie.operand) for tie in overwrites_of(op))
            self._over[op] = known
        return known

    def overwritable(self, op: Operation, result: int) -> list[int]:
        """List the operands that ``op`` may write its result number ``result`` over.

        Old contents of a destination that count leave no choice: they are copied to the result
        unless they are there already. All other uses of an operand by ``op`` must be of the kind.
        """
        known = self._overwritable.get((op, result))
        if known is None:
            known = self._overwritable[op, result] = self._find(op, result)
        return known

    def _find(self, op: Operation, result: int) -> list[int]:
        ties = self.destinations(op)
        effects = self.effects(op)
        changed = [
            tie.operand
            for tie in ties
            if tie.result == result
            and (effects is None or effects.operands[tie.operand] & Access.READ)
        ]
        if changed:
            return changed if self._is_read_in_step(op, result, changed[0]) else []
        outputs = {tie.operand for tie in ties}
        operands, type_ = op.operands, op.results[result].type
        return [
            operand
            for made, operand in sorted(self.over(op))
            if made == result
            and operand not in outputs
            and operands[operand].type == type_
            and self._is_read_in_step(op, result, operand)
        ]

    def _is_read_in_step(self, op: Operation, result: int, operand: int) -> bool:
        """Tell whether no use of an operand reads an element after it is written.

        Uses inside of regions are not told apart.
        """
        operands = op.operands
        value = operands[operand]
        over = self.over(op)
        same = (i for i, other in enumerate(operands) if other is value and is_tensor(other.type))
        return all((result, i) in over for i in same)


def parts_of(op: Operation) -> Sequence[int]:
    """List the operands that lie in the first result of ``op``, each in a part of its own."""
    match op:
        case tensor.ConcatOp():
            return range(len(op.operands))
        case tensor.PadOp() | tensor.InsertSliceOp() | StoreOp():
            return (0,)
        case _:
            return ()
