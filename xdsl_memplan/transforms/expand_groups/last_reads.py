"""Which group is the last to read what another one made, and may write over it."""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.queries import aliases_of


def inputs_read_last(groups: Sequence[GroupOp]) -> list[frozenset[int]]:
    """Return for each group the numbers of the inputs that a group made and none reads later.

    The groups are of one function. What is read through a view, or in a region, is read. Linear,
    but for views of views.
    """
    blocks = {block for group in groups if (block := group.parent) is not None}
    position = {op: number for block in blocks for number, op in enumerate(block.ops)}
    return [
        frozenset(
            number
            for number, value in enumerate(group.inputs)
            if isinstance(value.owner, GroupOp)
            and value.owner.parent is group.parent
            and _last_read(value, group.parent, position) == position[group]
        )
        for group in groups
    ]


def _last_read(value: SSAValue, block: Block | None, position: dict[Operation, int]) -> int:
    """Return where in the block a value, or a view of it, is read for the last time."""
    last = -1
    for use in value.uses:
        op = use.operation
        while op.parent is not block:
            around = op.parent_op()
            assert around is not None
            op = around
        last = max(last, position[op])
        if op is use.operation:
            for tie in aliases_of(op):
                if tie.operand == use.index:
                    last = max(last, _last_read(op.results[tie.result], block, position))
    return last
