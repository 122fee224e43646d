"""Write a schedule with spills into a function: order, `memplan.spill`, `memplan.retrieve`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue

from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.model.schedule import Stay


def write_schedule(
    tensors: TensorGraph,
    order: Sequence[int],
    stays: Sequence[Stay],
    on_chip: str,
    off_chip: str,
) -> "WrittenSchedule":
    """Bring a function into ``order`` and move tensors between the two memories as ``stays`` say.

    Who reads a tensor after it came back reads the copy; views are made again on the copy. What is
    spilled and written over by the operation that reads it last is spilled before that operation. A
    tensor that is off chip at the end is returned from there. Linear in the function and the stays.
    """
    before = list(tensors.function.body.block.ops)
    tensors.reorder(order)
    writer = _Writer(tensors, on_chip, off_chip)
    loads: dict[int, list[int]] = defaultdict(list)
    spills: dict[int, list[int]] = defaultdict(list)
    for stay in stays:
        if stay.is_loaded and tensors.sizes[stay.tensor]:
            loads[stay.start].append(stay.tensor)
        if stay.is_spilled:
            spills[stay.end - 1].append(stay.tensor)
    for position, index in enumerate(order):
        operator = tensors.operators[index]
        for tensor in loads[position]:
            if tensor not in operator.folded:
                writer.retrieve(tensor, operator.operations[0])
        over = {read for _, read in (*operator.over, *operator.parts)}
        for tensor in spills[position]:
            if tensor in over:
                writer.spill_before(tensor, operator.operations[0])
        for op in operator.operations:
            writer.redirect(op)
        for tensor in spills[position]:
            if tensor not in over:
                writer.spill(tensor, operator.operations[-1])
    spilled = {stay.tensor for stay in stays if stay.is_spilled}
    writer.finish(spilled.intersection(tensors.returned))
    writer.drop_unused()
    return WrittenSchedule(tensors, before, writer.inserted, writer.redirected)


@dataclass
class WrittenSchedule:
    """A schedule in a function, which can be taken out again."""

    tensors: TensorGraph
    before: list[Operation]
    inserted: list[Operation]
    redirected: list[tuple[Operation, int, SSAValue]]

    def moved_bytes(self, alignment: int) -> int:
        """Count the bytes moved beyond the compulsory, sizes rounded up to the alignment."""
        returned = {self.tensors.tensors[tensor] for tensor in self.tensors.returned}
        moved = 0
        for op in self.inserted:
            is_compulsory = isinstance(op, SpillOp) and op.source in returned
            if isinstance(op, SpillOp | RetrieveOp) and not is_compulsory:
                size = size_bytes(op.source.type) or 0
                moved += -(-size // alignment) * alignment
        return moved

    def undo(self) -> None:
        """Bring the function back to what it was."""
        for op, index, operand in reversed(self.redirected):
            op.operands[index] = operand
        for op in reversed(self.inserted):
            op.detach()
            op.erase()
        block = self.tensors.function.body.block
        for op in self.before:
            op.detach()
        block.add_ops(self.before)


class _Writer:
    """Knows for each tensor which value holds it on chip, and which off chip."""

    def __init__(self, tensors: TensorGraph, on_chip: str, off_chip: str) -> None:
        self.tensors = tensors
        self.block = tensors.function.body.block
        self.inserted: list[Operation] = []
        self.redirected: list[tuple[Operation, int, SSAValue]] = []
        self.on_chip = on_chip
        self.off_chip = off_chip
        self.here: dict[SSAValue, SSAValue] = {}
        """The copy of a tensor that was retrieved last."""
        self.away: dict[int, SSAValue] = {}
        self.remade: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        """A view, made again on a copy: that copy and the new view."""

    def retrieve(self, tensor: int, before: Operation) -> None:
        """Insert a copy back on chip."""
        op = RetrieveOp(self.away[tensor], self.on_chip)
        self._insert(op, before)
        self.here[self.tensors.tensors[tensor]] = op.result

    def spill(self, tensor: int, after: Operation) -> None:
        """Insert a copy off chip."""
        following = after.next_op
        assert following is not None
        self.spill_before(tensor, following)

    def spill_before(self, tensor: int, before: Operation) -> None:
        """Insert a copy off chip."""
        value = self.tensors.tensors[tensor]
        op = SpillOp(self.here.get(value, value), self.off_chip)
        self._insert(op, before)
        self.away[tensor] = op.result

    def redirect(self, op: Operation) -> None:
        """Let an operation, and those in its regions, read the copies that are on chip now."""
        for inner in (*op.walk(),):
            for i, operand in enumerate(inner.operands):
                if self.tensors.root(operand) in self.here:
                    self.redirected.append((inner, i, operand))
                    inner.operands[i] = self._current(operand, op)

    def finish(self, returned_from_off_chip: set[int]) -> None:
        """Return what is off chip at the end from there, and what came back from its copy."""
        for tensor in returned_from_off_chip:
            if tensor in self.away:
                self.here[self.tensors.tensors[tensor]] = self.away[tensor]
        terminator = self.block.last_op
        assert terminator is not None
        self.redirect(terminator)

    def drop_unused(self) -> None:
        """Take out moves whose result nobody reads, as it is there in a larger tensor."""
        kept: list[Operation] = []
        for op in reversed(self.inserted):
            if op.results[0].first_use is None:
                op.detach()
                op.erase()
            else:
                kept.append(op)
        self.inserted = kept[::-1]

    def _insert(self, op: Operation, before: Operation) -> None:
        self.block.insert_op_before(op, before)
        self.inserted.append(op)

    def _current(self, value: SSAValue, before: Operation) -> SSAValue:
        """Return the value that shows on the copy what ``value`` shows on the original."""
        root = self.tensors.root(value)
        copy = self.here[root]
        if value is root:
            return copy
        known = self.remade.get(value)
        if known is not None and known[0] is copy:
            return known[1]
        assert isinstance(value, OpResult)
        view = value.op
        operands = [
            self._current(operand, before) if self.tensors.root(operand) is root else operand
            for operand in view.operands
        ]
        clone = view.clone(dict(zip(view.operands, operands, strict=True)))
        self._insert(clone, before)
        fresh = clone.results[value.index]
        self.remade[value] = (copy, fresh)
        return fresh
