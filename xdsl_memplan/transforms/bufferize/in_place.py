"""Whether an operation may write its result over bytes that it reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.transforms.bufferize.liveness import Use


@dataclass(frozen=True)
class Overwrite:
    """An operation that is to write its result number `result` over what `uses` read."""

    op: Operation
    result: int
    uses: Iterable[Use]
    sharing: Sharing

    def is_safe(self, exactly: Callable[[SSAValue], bool]) -> bool:
        """Tell whether every use reads an element before, and only before, it is written.

        `exactly` tells of a value that is read whether it is the very bytes that are written,
        element for element. Any other value may be some of them in another order.
        """
        for use in self.uses:
            if use.index < 0:
                # Each branch of a conditional looks after its own reads.
                if not isinstance(self.op, scf.IfOp | scf.IndexSwitchOp | scf.ExecuteRegionOp):
                    return False
            elif not (exactly(use.value) and self._reads_first(use.index)):
                return False
            elif not self._stays(use.index, exactly):
                return False
        return True

    def _stays(self, operand: int, exactly: Callable[[SSAValue], bool]) -> bool:
        """Tell whether an input is not copied over before the operation starts.

        Old contents of the output that count are copied to the place of the result, unless they
        are there already.
        """
        effects = self.sharing.effects(self.op)
        return all(
            tie.operand == operand
            or effects is None
            or not effects.operands[tie.operand] & Access.READ
            or exactly(self.op.operands[tie.operand])
            for tie in self.sharing.destinations(self.op)
            if tie.result == self.result
        )

    def _reads_first(self, operand: int) -> bool:
        return (self.result, operand) in self.sharing.over(self.op)
