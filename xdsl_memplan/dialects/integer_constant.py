"""Integers and indices that are written down in the IR."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue


def integer_constant(value: SSAValue) -> int | None:
    """The number that a value is; None if it is no constant, or one of several elements."""
    op = value.owner
    if not isinstance(op, ConstantOp) or not isinstance(op.value, IntegerAttr):
        return None
    return op.value.value.data
