"""Operators joined with the one that makes what they change in place.

Schedules that move tensors off chip see whole tensors: an operator on its own has its inputs and
its outputs on chip, even where it writes its result over an input. A residual addition alone needs
three tensors, together with the convolution before it two and what the convolution reads. Joined,
the two run one right after the other and nothing moves between them.
"""

from dataclasses import replace

from xdsl_memplan.analysis.operator_graph import Operator, OperatorGraph
from xdsl_memplan.analysis.tensor_graph import TensorGraph


def join_in_place(graph: OperatorGraph, keep_order: bool = False) -> OperatorGraph:
    """Join operators where that does not raise the bytes that must be on chip at once.

    An operator is joined to the one that makes a tensor for it alone and makes nothing else, if it
    writes a result over that tensor; with ``keep_order`` only if no other operator is between the
    two. Linear in the operations, times the length of a chain.
    """
    tensors = TensorGraph.of(graph)
    joiner = _Joiner(graph, tensors, keep_order)
    for index in range(len(graph.operators)):
        joiner.join_makers(index)
    return replace(graph, operators=[operator for operator in joiner.operators if operator])


class _Joiner:
    """Operators by their old index; None once they are part of a later one."""

    def __init__(self, graph: OperatorGraph, tensors: TensorGraph, keep_order: bool) -> None:
        self.graph = graph
        self.keep_order = keep_order
        self.starts = list(range(len(graph.operators)))
        """Index of the first operator that is part of each; kept in order, none are between."""
        self.tensors = tensors
        self.operators: list[Operator | None] = [*graph.operators]
        self.inputs = [frozenset(inputs) for inputs in tensors.inputs]
        self.outputs = [tuple(outputs) for outputs in tensors.outputs]
        self.needs = [self._needs(i) for i in range(len(self.operators))]
        """Bytes on chip while an operator runs."""
        self.maker = {tensor: i for i, outputs in enumerate(self.outputs) for tensor in outputs}
        self.readers = [0] * len(tensors.tensors)
        for inputs in self.inputs:
            for tensor in inputs:
                self.readers[tensor] += 1
        for tensor in tensors.returned:
            self.readers[tensor] += 1

    def join_makers(self, index: int) -> None:
        """Join to the operator ``index`` those that make what it changes, if that costs nothing."""
        while any(self._join(index, tensor) for tensor in sorted(self.inputs[index])):
            pass

    def _join(self, index: int, tensor: int) -> bool:
        before = self.maker[tensor]
        first, second = self.operators[before], self.operators[index]
        if (
            first is None
            or second is None
            or first.keeps_order
            or second.keeps_order
            or (self.keep_order and before + 1 != self.starts[index])
            or self.outputs[before] != (tensor,)
            or self.readers[tensor] != 1
            or not self._changes(index, tensor)
        ):
            return False
        inputs = self.inputs[before] | self.inputs[index] - {tensor}
        joined = replace(second, operations=[*first.operations, *second.operations])
        workspace = self.tensors.workspace_of(self.graph, joined, self.outputs[index])
        needs = workspace + self._sum(inputs) + self._sum(self.outputs[index])
        if needs > max(self.needs[before], self.needs[index]):
            return False
        for shared in self.inputs[before] & self.inputs[index]:
            self.readers[shared] -= 1
        self.operators[before], self.operators[index] = None, joined
        self.starts[index] = self.starts[before]
        self.inputs[index], self.needs[index] = inputs, needs
        return True

    def _changes(self, index: int, tensor: int) -> bool:
        """Tell whether an operator writes one of its results over a tensor that it reads."""
        holders = self.graph.holders
        held = set(holders.get(self.tensors.tensors[tensor], ()))
        made = (self.tensors.tensors[output] for output in self.outputs[index])
        return any(not held.isdisjoint(holders.get(value, ())) for value in made)

    def _needs(self, index: int) -> int:
        around = self._sum(self.inputs[index]) + self._sum(self.outputs[index])
        return around + self.tensors.workspaces[index]

    def _sum(self, tensors: frozenset[int] | tuple[int, ...]) -> int:
        return sum(self.tensors.sizes[tensor] for tensor in tensors)
