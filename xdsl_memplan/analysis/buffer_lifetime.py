"""How long a buffer takes its bytes, and what it asks for of its place."""

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.wishes import Wishes, wishes_of
from xdsl_memplan.model.lifetime import Lifetime


def buffer_lifetime(
    op: Operation, trait: BufferLikeTrait, lifetimes: FunctionLifetimes, wishes: Wishes
) -> Lifetime:
    """Return the ticks at which contents are needed; empty if they never are.

    Copies are there for iterations that overlap: they live as long as the loop around them.
    """
    lifetime = lifetimes.lifetime(trait.storage(op))
    loop = lifetimes.time.loops.get(op.parent) if op.parent is not None else None
    if wishes.copies == 1 or loop is None or lifetime.start == lifetime.end:
        return lifetime
    return Lifetime(min(loop.start, lifetime.start), max(loop.end, lifetime.end))


def checked_wishes(op: Operation) -> Wishes:
    """Return what a buffer asks for; raises PassFailedException for what cannot be read."""
    try:
        return wishes_of(op)
    except ValueError as error:
        raise PassFailedException(f"{describe_op(op)}: {error}") from error
