"""Errors of bufferization."""

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op, describe_value


def cannot_bufferize(op: Operation, why: str, value: SSAValue | None = None) -> PassFailedException:
    """Return the error for an operation, and perhaps one of its values, that is not supported."""
    about = "" if value is None else f" ({describe_value(value)})"
    return PassFailedException(f"cannot bufferize {describe_op(op)}: {why}{about}")
