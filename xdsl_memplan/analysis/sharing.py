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
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.dialects.queries import destinations_of, effects_of, overwrites_of
from xdsl_memplan.dialects.region_moves import StoreOp


def overwritable(op: Operation, result: int) -> list[int]:
    """List the operands that ``op`` may write its result number ``result`` over.

    Old contents of a destination that count leave no choice: they are copied to the result unless
    they are there already. All other uses of an operand by ``op`` must be of the kind, too.
    """
    ties = destinations_of(op)
    effects = effects_of(op)
    changed = [
        tie.operand
        for tie in ties
        if tie.result == result and (effects is None or effects.operands[tie.operand] & Access.READ)
    ]
    if changed:
        return changed if _is_read_in_step(op, result, changed[0]) else []
    outputs = {tie.operand for tie in ties}
    return [
        tie.operand
        for tie in overwrites_of(op)
        if tie.result == result
        and tie.operand not in outputs
        and op.operands[tie.operand].type == op.results[result].type
        and _is_read_in_step(op, result, tie.operand)
    ]


def parts_of(op: Operation) -> Sequence[int]:
    """List the operands that lie in the first result of ``op``, each in a part of its own."""
    match op:
        case tensor.ConcatOp():
            return range(len(op.operands))
        case tensor.PadOp() | tensor.InsertSliceOp() | StoreOp():
            return (0,)
        case _:
            return ()


def _is_read_in_step(op: Operation, result: int, operand: int) -> bool:
    """Tell whether each use of an operand reads an element before, and only before, it is written.

    Uses inside of regions are not told apart.
    """
    value = op.operands[operand]
    ties = {(tie.result, tie.operand) for tie in overwrites_of(op)}
    same = (i for i, other in enumerate(op.operands) if other is value and is_tensor(other.type))
    return all((result, i) in ties for i in same)
