"""How often operations run when their function does."""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Operation

from xdsl_memplan.dialects.integer_constant import integer_constant

SOME_TIMES = 16
"""So often a loop is taken to run where nobody knows and plans are compared."""


def executions(op: Operation, outer: Operation, *, takes_branches: bool = False) -> int | None:
    """Multiply the trip counts of the loops between an operation and another one around it.

    Returns:
        None if one is not known, or there is a branch between; with ``takes_branches`` it counts
        as taken.
    """
    count = 1
    for parent in _around(op, outer):
        if isinstance(parent, scf.ForOp) or not takes_branches:
            times = trip_count(parent)
            if times is None:
                return None
            count *= times
    return count


def guessed_executions(op: Operation, outer: Operation) -> int:
    """As `executions`, with a guess for loops of which it is not known, and branches taken."""
    count = 1
    for parent in _around(op, outer):
        times = trip_count(parent)
        if times is None:
            times = SOME_TIMES if isinstance(parent, scf.ForOp | scf.WhileOp) else 1
        count *= times
    return count


def _around(op: Operation, outer: Operation) -> Iterator[Operation]:
    """The operations around ``op`` that are inside of ``outer``, the innermost first."""
    parent = op.parent_op()
    while parent is not None and parent is not outer:
        yield parent
        parent = parent.parent_op()


def trip_count(op: Operation) -> int | None:
    """Return how many iterations a loop has; None if it is none, or its bounds are no constants."""
    found = positions(op) if isinstance(op, scf.ForOp) else None
    return None if found is None else len(found)


def positions(loop: scf.ForOp) -> range | None:
    """The values of what counts the iterations of a loop; None if its bounds are no constants."""
    first, end, step = (integer_constant(value) for value in (loop.lb, loop.ub, loop.step))
    if first is None or end is None or step is None or step <= 0:
        return None
    return range(first, end, step)
