"""The operations of one block in order, for rewrites of tensor IR before it is bufferized."""

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from xdsl_memplan.transforms.bufferize.tensor_views import viewed


@dataclass
class Order:
    """Positions of the operations of a block."""

    block: Block
    operations: list[Operation] = field(default_factory=list[Operation])
    position: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def __post_init__(self) -> None:
        self.operations = list(self.block.ops)
        self.position = {op: index for index, op in enumerate(self.operations)}

    def replace(self, old: Operation, new: Operation) -> None:
        """Put an operation in the place of another one."""
        new.attributes.update(old.attributes)
        new.location = old.location
        self.block.insert_op_before(new, old)
        for before, after in zip(old.results, new.results, strict=True):
            after.name_hint = before.name_hint
            before.replace_all_uses_with(after)
        self.position[new] = self.position.pop(old)
        self.operations[self.position[new]] = new
        old.detach()
        old.erase()

    def erase(self, op: Operation) -> None:
        """Remove an operation that is not used any more."""
        self.position.pop(op)
        op.detach()
        op.erase()

    def lives_until(self, value: SSAValue, position: int, *, besides: Operation) -> bool:
        """Tell whether a tensor is there until `position` without its use by `besides`."""
        while isinstance(value, OpResult) and (source := viewed(value.op)) is not None:
            value = source
        if isinstance(value, BlockArgument) or isinstance(value.owner, arith.ConstantOp):
            return True
        return self._last_use(value, besides) >= position

    def _last_use(self, value: SSAValue, besides: Operation) -> int:
        last = -1
        for use in value.uses:
            user: Operation | None = use.operation
            if user is besides:
                continue
            while user is not None and user.parent is not self.block:
                user = user.parent_op()
            if user is None:
                continue
            last = max(last, self.position.get(user, -1))
            if viewed(use.operation) is not None:
                last = max(last, self._last_use(use.operation.results[0], besides))
        return last
