"""Checks offsets against lifetimes that are somebody else's: `memplan-verify{lifetimes=given}`.

The ticks are hers: of a simulator, of several cores that run at once. So they are not recomputed.
What is checked is that no two buffers share bytes at one of these ticks, and that the lifetimes
allow the order of the operations.
"""

from collections.abc import Mapping

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.queries import storage_of
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.transforms.abstract_execution import Instance, Place


def given_instances(
    function: FuncOp, places: Mapping[Operation, Place], holders: frozenset[str]
) -> list[Instance]:
    """Return the buffers of a function, in use for as long as their written lifetimes say.

    ``holders`` are functions that have buffers. Raises PassFailedException for a buffer without a
    lifetime, and for a call of such a function: the callee has ticks of its own.
    """
    found: list[Instance] = []
    for op in function.walk():
        if isinstance(op, CallOp) and op.callee.string_value() in holders:
            raise PassFailedException(
                f"{describe_op(op)}: calls a function that has buffers, and given lifetimes do not "
                "say which of its ticks are ticks of its caller; verify with lifetimes=computed"
            )
        if op in places:
            start, end = given_lifetime(op)
            if start < end:
                found.append(Instance(op, places[op], start, end - 1, start, end - 1))
    return found


def given_lifetime(op: Operation) -> Lifetime:
    """Return the lifetime written on a buffer; raises PassFailedException if there is none."""
    trait = storage_of(op)
    lifetime = trait.get_lifetime(op) if trait is not None else None
    if lifetime is None:
        raise PassFailedException(
            f"{describe_op(op)}: has no lifetime, and lifetimes=given computes none"
        )
    return lifetime


def check_order(lifetimes: FunctionLifetimes) -> None:
    """Check that given lifetimes leave every operation a tick, in the order of the file.

    An operation runs at a tick when all buffers that it touches are alive, and not before an
    earlier operation that touches one of them. Linear in operands. Raises PassFailedException.
    """
    reached: dict[SSAValue, int] = {}
    for op in lifetimes.time.ticks:
        touched = [
            root
            for value in [*op.operands, *op.results]
            if lifetimes.aliases.tracked(value)
            for root in lifetimes.aliases.roots(value)
            if isinstance(root.owner, Operation) and storage_of(root.owner) is not None
        ]
        if not touched:
            continue
        alive = [given_lifetime(_owner(root)) for root in touched]
        earliest = max(start for start, _ in alive)
        earliest = max(earliest, *(reached.get(root, 0) for root in touched))
        if earliest >= min(end for _, end in alive):
            listed = "; ".join(
                f"{describe_op(_owner(root))} [{life.start}, {life.end})"
                for root, life in dict(zip(touched, alive, strict=True)).items()
            )
            raise PassFailedException(
                f"{describe_op(op)}: no tick is left for it at {earliest} or later; the buffers it "
                f"touches have lifetimes {listed}"
            )
        reached.update(dict.fromkeys(touched, earliest))


def _owner(root: SSAValue) -> Operation:
    assert isinstance(root.owner, Operation)
    return root.owner
