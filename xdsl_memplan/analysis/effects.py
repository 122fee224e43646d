"""Which of its tensor operands an operation reads."""

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

_WRITES_ALL = frozenset({"linalg.fill", "linalg.copy", "linalg.transpose", "linalg.broadcast"})
"""Operations that overwrite their destination without looking at it."""


def unread_operands(op: Operation) -> frozenset[int]:
    """Return positions of tensor operands whose contents are not read, only shape and place.

    These are the destinations of linalg operations whose payload does not use the old element.
    """
    if op.name in _WRITES_ALL:
        return frozenset({len(op.operands) - 1})
    if not isinstance(op, LinalgStructuredOperation):
        return frozenset()
    [region] = op.regions
    outputs = len(op.outputs)
    total = len(op.operands)
    arguments = region.block.args[len(region.block.args) - outputs :]
    return frozenset(
        total - outputs + i for i, argument in enumerate(arguments) if argument.first_use is None
    )
