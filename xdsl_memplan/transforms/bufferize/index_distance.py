"""How far one index lies behind another, where that is known whatever the indices are."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import OpResult, SSAValue


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
    while not isinstance(index, int):
        constant = _constant(index)
        if constant is not None:
            index = constant
            break
        if not isinstance(index, OpResult) or not isinstance(index.op, arith.AddiOp):
            return index, added
        for term, other in (index.op.operands, reversed(index.op.operands)):
            constant = _constant(other)
            if constant is not None:
                added += constant
                index = term
                break
        else:
            return index, added
    return None, added + index


def _constant(value: SSAValue) -> int | None:
    """The number that a value is, if it is a constant."""
    if not isinstance(value, OpResult) or not isinstance(value.op, arith.ConstantOp):
        return None
    number = value.op.value
    return number.value.data if isinstance(number, IntegerAttr) else None
