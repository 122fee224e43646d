"""How many elements of a table may all differ that a body looks up."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import linalg, tensor
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import BlockArgument, Operation, SSAValue

from xdsl_memplan.dialects.structured_inputs import input_count


def distinct_lookups(op: Operation, table: SSAValue, loops: Sequence[int]) -> int:
    """Count the iterations of the loops that the indices of a lookup depend on.

    Of several lookups in one body that with the most counts. For the same values of these loops the
    same element is looked up; for others it may be another one. Linear in the body.
    """
    if not isinstance(op, LinalgStructuredOperation):
        return 0
    followed = FollowedIndices(op, len(loops))
    return max(
        (
            prod(loops[loop] for loop in followed.loops_of(*use.operation.indices))
            for use in table.uses
            if isinstance(use.operation, tensor.ExtractOp) and op.is_ancestor(use.operation)
        ),
        default=0,
    )


class FollowedIndices:
    """Loops that scalars in a body depend on; every answer is kept."""

    def __init__(self, op: LinalgStructuredOperation, loops: int) -> None:
        self.op = op
        self.all = frozenset(range(loops))
        self.maps = [attribute.data for attribute in op.get_indexing_maps()]
        self.known: dict[SSAValue, frozenset[int]] = {}

    def loops_of(self, *values: SSAValue) -> frozenset[int]:
        """Return the loops that any of some values depends on."""
        return frozenset[int]().union(*map(self._of, values))

    def _of(self, value: SSAValue) -> frozenset[int]:
        if value not in self.known:
            self.known[value] = self._found(value)
        return self.known[value]

    def _found(self, value: SSAValue) -> frozenset[int]:
        owner = value.owner
        if isinstance(value, BlockArgument):
            if value.block is not self.op.regions[0].block:
                # A loop in the body, or what is outside of it.
                return self.all if self.op.is_ancestor(value.block) else frozenset()
            is_input = value.index < input_count(self.op)
            return frozenset(self.maps[value.index].used_dims()) if is_input else self.all
        assert isinstance(owner, Operation)
        if not self.op.is_ancestor(owner):
            return frozenset()
        if isinstance(owner, linalg.ops.IndexOp):
            return frozenset([owner.dim.value.data])
        return self.all if owner.regions else self.loops_of(*owner.operands)
