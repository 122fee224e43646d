"""How far one index lies behind another, where that is known whatever the indices are."""

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from xdsl_memplan.dialects.integer_constant import integer_constant


def index_distance(start: int | SSAValue, end: int | SSAValue) -> int | None:
    """Return ``end`` less ``start``; None if it depends on what is not known.

    It is known where both are the same value with constants added to it, such as the rows that one
    iteration of a loop inserts. Linear in the additions.
    """
    base, more = _apart(start)
    other, less = _apart(end)
    return less - more if base is other else None


def _apart(index: int | SSAValue) -> tuple[SSAValue | None, int]:
    """Take an index apart into a value and the constant that is added to it."""
    added = 0
    while not isinstance(index, int) and isinstance(index.owner, arith.AddiOp):
        left, right = index.owner.operands
        match integer_constant(left), integer_constant(right):
            case _, int(constant):
                index = left
            case int(constant), _:
                index = right
            case _:
                return index, added
        added += constant
    if isinstance(index, int):
        return None, added + index
    number = integer_constant(index)
    return (index, added) if number is None else (None, added + number)
