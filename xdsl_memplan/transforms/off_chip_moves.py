"""Write a schedule with spills into a function: order, `memplan.spill`, `memplan.retrieve`."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from xdsl.ir import Operation, OpResult, SSAValue

from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp


class Stay(Protocol):
    """One stay of a tensor on chip, over the positions ``[start, end)`` of the order."""

    @property
    def tensor(self) -> int:
        """Index of the tensor."""
        ...

    @property
    def start(self) -> int:
        """Position of the operator that makes it or that it comes back for."""
        ...

    @property
    def end(self) -> int:
        """One past the position of the last operator that uses it."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether it is copied from off chip at the start."""
        ...

    @property
    def is_spilled(self) -> bool:
        """Whether it is copied off chip at the end."""
        ...


def write_schedule(
    graph: OperatorGraph,
    tensors: TensorGraph,
    order: Sequence[int],
    stays: Sequence[Stay],
    on_chip: str,
    off_chip: str,
) -> None:
    """Bring a function into ``order`` and move tensors between the two memories as ``stays`` say.

    Who reads a tensor after it came back reads the copy; views are made again on the copy. A tensor
    that is off chip at the end is returned from there. Linear in the function and the stays.
    """
    graph.reorder(order)
    writer = _Writer(graph, tensors, on_chip, off_chip)
    loads: dict[int, list[int]] = defaultdict(list)
    spills: dict[int, list[int]] = defaultdict(list)
    for stay in stays:
        if stay.is_loaded:
            loads[stay.start].append(stay.tensor)
        if stay.is_spilled:
            spills[stay.end - 1].append(stay.tensor)
    for position, index in enumerate(order):
        operations = graph.operators[index].operations
        for tensor in loads[position]:
            writer.retrieve(tensor, operations[0])
        for op in operations:
            writer.redirect(op)
        for tensor in spills[position]:
            writer.spill(tensor, operations[-1])
    spilled = {stay.tensor for stay in stays if stay.is_spilled}
    writer.finish(spilled.intersection(tensors.returned))


class _Writer:
    """Knows for each tensor which value holds it on chip, and which off chip."""

    def __init__(
        self, graph: OperatorGraph, tensors: TensorGraph, on_chip: str, off_chip: str
    ) -> None:
        self.graph = graph
        self.tensors = tensors
        self.block = graph.function.body.block
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
        self.block.insert_op_before(op, before)
        self.here[self.tensors.tensors[tensor]] = op.result

    def spill(self, tensor: int, after: Operation) -> None:
        """Insert a copy off chip."""
        value = self.tensors.tensors[tensor]
        op = SpillOp(self.here.get(value, value), self.off_chip)
        self.block.insert_op_after(op, after)
        self.away[tensor] = op.result

    def redirect(self, op: Operation) -> None:
        """Let an operation, and those in its regions, read the copies that are on chip now."""
        for inner in (*op.walk(),):
            for i, operand in enumerate(inner.operands):
                if self.graph.root(operand) in self.here:
                    inner.operands[i] = self._current(operand, op)

    def finish(self, returned_from_off_chip: set[int]) -> None:
        """Return what is off chip at the end from there, and what came back from its copy."""
        for tensor in returned_from_off_chip:
            if tensor in self.away:
                self.here[self.tensors.tensors[tensor]] = self.away[tensor]
        terminator = self.block.last_op
        assert terminator is not None
        self.redirect(terminator)

    def _current(self, value: SSAValue, before: Operation) -> SSAValue:
        """Return the value that shows on the copy what ``value`` shows on the original."""
        root = self.graph.root(value)
        copy = self.here[root]
        if value is root:
            return copy
        known = self.remade.get(value)
        if known is not None and known[0] is copy:
            return known[1]
        assert isinstance(value, OpResult)
        view = value.op
        operands = [
            self._current(operand, before) if self.graph.root(operand) is root else operand
            for operand in view.operands
        ]
        clone = view.clone(dict(zip(view.operands, operands, strict=True)))
        self.block.insert_op_before(clone, before)
        fresh = clone.results[value.index]
        self.remade[value] = (copy, fresh)
        return fresh
