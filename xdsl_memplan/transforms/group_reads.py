"""Which groups read a tensor, itself or a view of it, and what else does."""

from dataclasses import dataclass, field

from xdsl.dialects import tensor
from xdsl.ir import Block, Operation, SSAValue, Use

from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.queries import aliases_of, destinations_of
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.whole_moves import is_whole_store

_VIEWS = (tensor.CollapseShapeOp, tensor.ExpandShapeOp, tensor.ExtractSliceOp, tensor.CastOp)


@dataclass
class GroupReads:
    """Uses of a tensor, and of what shows all or a part of it off chip or on chip."""

    by_group: dict[GroupOp, list[SSAValue]] = field(default_factory=dict[GroupOp, list[SSAValue]])
    """The values that each group reads, in the order of their uses."""
    others: list[Use] = field(default_factory=list[Use])
    """Uses by anything else: what is returned, or concatenated for the return."""
    stores: list[StoreOp] = field(default_factory=list[StoreOp])
    """What stores all of it, or of a view of it, off chip."""

    @classmethod
    def of(cls, value: SSAValue, block: Block) -> "GroupReads":
        """Find them in a block; linear in the uses."""
        found = cls()
        found._add(value, block)
        return found

    def _add(self, value: SSAValue, block: Block) -> None:
        for use in value.uses:
            top = block.find_ancestor_op_in_block(use.operation)
            assert top is not None
            if isinstance(top, GroupOp):
                values = self.by_group.setdefault(top, [])
                if value not in values:
                    values.append(value)
            elif top is not use.operation:
                self.others.append(use)
            elif isinstance(top, StoreOp) and use.index == 0 and is_whole_store(top):
                self.stores.append(top)
                self._add(top.result, block)
            elif is_fixed_view(top) and use.index == 0:
                self._add(top.results[0], block)
            else:
                self.others.append(use)


def is_fixed_view(op: Operation) -> bool:
    """Tell whether an operation shows a tensor, or a part of it that is always the same."""
    return isinstance(op, _VIEWS) and len(op.operands) == 1


def is_on_chip(group: GroupOp, value: SSAValue) -> bool:
    """Tell whether a group reads one of its operands where it is."""
    return group.is_resident(list(group.inputs).index(value))


def is_only_read(value: SSAValue) -> bool:
    """Tell whether a tensor is computed with as a whole.

    No element of it is looked up by itself, and nothing is written over it, for which another copy
    would be needed while it stays as it is. Linear in the uses of it, and of its views.
    """
    for use in value.uses:
        op = use.operation
        if isinstance(op, tensor.ExtractOp):
            return False
        if any(tie.operand == use.index for tie in destinations_of(op)):
            return False
        shown = (op.results[tie.result] for tie in aliases_of(op) if tie.operand == use.index)
        if not all(map(is_only_read, shown)):
            return False
    return True
