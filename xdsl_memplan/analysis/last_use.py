"""Where a buffer is used for the last time: a deallocation may go behind that operation."""

from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.op_kinds import Kind, kind_of


class LastUses:
    """The last users of the buffers of one function, views and addresses followed."""

    def __init__(self, lifetimes: FunctionLifetimes) -> None:
        """Index the ticks of the function; linear."""
        self._lifetimes = lifetimes
        self._at: dict[int, list[Operation]] = {}
        for op, tick in lifetimes.time.ticks.items():
            self._at.setdefault(tick, []).append(op)
        self._handed_on: dict[Block, set[SSAValue]] = {}

    def of(self, op: Operation, storage: SSAValue) -> Operation | None:
        """Return the last operation in the block of ``op`` that may use its ``storage``.

        A user in a region counts as the operation of that block which holds the region. It is
        ``op`` itself if nobody uses the storage, and None if the block hands it on to somebody:
        then it is not known here when it is done with.
        """
        block = op.parent
        if block is None or storage in self._handed_on_by(block):
            return None
        # Ticks that somebody else has written into the IR are no places: these are our own.
        lifetime = self._lifetimes.lifetime(storage)
        if lifetime.start == lifetime.end:
            return op
        found = [_in_block(user, block) for user in self._at.get(lifetime.end - 1, ())]
        here = [user for user in found if user is not None]
        return here[-1] if here else None

    def _handed_on_by(self, block: Block) -> set[SSAValue]:
        if block not in self._handed_on:
            last = block.last_op
            values = last.operands if last is not None and kind_of(last) is Kind.FORWARD else ()
            roots = self._lifetimes.aliases.roots
            self._handed_on[block] = {root for value in values for root in roots(value)}
        return self._handed_on[block]


def _in_block(op: Operation, block: Block) -> Operation | None:
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around
