"""What computes and is read by nobody."""

from xdsl.dialects.func import FuncOp

from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.dialects.operations_in import operations_in


def erase_unread(function: FuncOp) -> None:
    """Erase operations whose results nobody reads, and then what only they read; linear.

    Tiles of them would be fetched for nothing. What has effects stays.
    """
    _, *inside = operations_in(function)
    for op in reversed(inside):
        is_read = any(result.first_use is not None for result in op.results)
        if op.results and not is_read and not must_keep_order(op):
            op.detach()
            op.erase()
