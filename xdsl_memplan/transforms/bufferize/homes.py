"""The memory that each tensor lives in: stores and spills put it in another one."""

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xdsl_memplan.dialects.off_chip import HOME, RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.bufferize.tensor_views import viewed


@dataclass
class Homes:
    """Finds the arena of a tensor; None stands for the default one, and every answer is kept."""

    default: str | None = None
    """The name of the default arena, if it is known."""
    _known: dict[SSAValue, str | None] = field(default_factory=dict[SSAValue, str | None])

    def of(self, value: SSAValue) -> str | None:
        """The arena that the bytes of a tensor are in, if it is made by an operation here.

        What a loop or a branch hands on lives where `memplan.home` says, or else where the value is
        made that it ends with. A tensor
        of which only empties and arguments are known has the default home. Linear in the chain.
        """
        passed: dict[SSAValue, None] = {}
        current: SSAValue | None = value
        home: str | None = None
        while current is not None:
            if current in self._known:
                home = self._known[current]
                break
            if current in passed:
                break
            passed[current] = None
            if (given := _given(current)) is not None:
                home = self.named(given)
                break
            if isinstance(current, OpResult) and isinstance(
                current.op, StoreOp | SpillOp | RetrieveOp
            ):
                home = self.named(current.op.arena.string_value())
                break
            current = _made_by(current)
        self._known.update(dict.fromkeys(passed, home))
        return home

    def named(self, arena: str) -> str | None:
        """The arena of that name; None if it is the default one."""
        return None if arena == self.default else arena


def _given(value: SSAValue) -> str | None:
    """The arena that the operation names whose result or argument of a block a tensor is."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    home = None if op is None else op.attributes.get(HOME)
    if isinstance(home, ArrayAttr) and isinstance(value, BlockArgument | OpResult):
        # The first argument of a loop's body counts the steps.
        number = value.index - (isinstance(value, BlockArgument) and isinstance(op, scf.ForOp))
        named = cast("ArrayAttr[Attribute]", home).data
        home = named[number] if 0 <= number < len(named) else None
    return home.data if isinstance(home, StringAttr) else None


def _made_by(value: SSAValue) -> SSAValue | None:
    """The value that decides where `value` lives, if that is not its own operation."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index:
            return loop.results[value.index - 1]
        return None
    assert isinstance(value, OpResult)
    op = value.op
    match op:
        case scf.ForOp():
            body = op.body.block
            last = body.last_op
            argument = body.args[value.index + 1]
            handed_on = argument if last is None else last.operands[value.index]
            while isinstance(handed_on, OpResult) and (source := viewed(handed_on.op)) is not None:
                handed_on = source
            return op.iter_args[value.index] if handed_on is argument else handed_on
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            last = op.regions[0].blocks[0].last_op
            return None if last is None else last.operands[value.index]
        case _:
            return viewed(op)
