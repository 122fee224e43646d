"""Whether an operation may write its result over bytes that it reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.dialects.queries import destinations_of, effects_of
from xdsl_memplan.transforms.bufferize.liveness import Use
from xdsl_memplan.transforms.bufferize.memref_layout import Tensor

_FOR_BOUNDS = 3
"""Operands of `scf.for` before its initial values."""


@dataclass(frozen=True)
class Overwrite:
    """An operation that is to write its result number `result` over what `uses` read."""

    op: Operation
    result: int
    uses: Iterable[Use]

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
        effects = effects_of(self.op)
        return all(
            tie.operand == operand
            or effects is None
            or not effects.operands[tie.operand] & Access.READ
            or exactly(self.op.operands[tie.operand])
            for tie in destinations_of(self.op)
            if tie.result == self.result
        )

    def _reads_first(self, operand: int) -> bool:
        op = self.op
        if any(tie == (self.result, operand) for tie in destinations_of(op)):
            return True
        if isinstance(op, scf.ForOp):
            return operand == self.result + _FOR_BOUNDS
        if is_elementwise(op):
            return op.operands[operand].type == op.results[self.result].type
        if not isinstance(op, LinalgStructuredOperation):
            return False
        maps = op.get_indexing_maps().data
        written = maps[len(op.inputs) + self.result].data
        if maps[operand].data != written:
            return False
        # In a loop nest of parallel loops that reaches no element twice, an element is read in
        # the iteration that writes it and in no other.
        if any(t.data is not IteratorType.PARALLEL for t in op.get_iterator_types()):
            return False
        same = op.operands[operand].type == op.results[self.result].type
        return same and _reaches_once(op, written)


def _reaches_once(op: LinalgStructuredOperation, written: AffineMap) -> bool:
    """Tell whether the loops that `written` does not use have one iteration."""
    used = written.used_dims()
    missing = [d for d in range(written.num_dims) if d not in used]
    if any(not _is_plain(e) for e in written.results):
        return False
    if not missing:
        return True
    sizes: dict[int, int] = {}
    for operand, indexing_map in zip(op.operands, op.get_indexing_maps().data, strict=True):
        if isinstance(operand.type, TensorType):
            shape = cast(Tensor, operand.type).get_shape()
            for expression, size in zip(indexing_map.data.results, shape, strict=True):
                if isinstance(expression, AffineDimExpr):
                    sizes[expression.position] = size
    return all(sizes.get(dimension) == 1 for dimension in missing)


def _is_plain(expression: object) -> bool:
    return isinstance(expression, AffineDimExpr | AffineConstantExpr)
