"""The operator graph with tensors instead of storages: what can be moved off chip and back.

A tensor that was copied off chip must not change, so nothing is shared between operators here: an
operator reads whole tensors and makes new ones. Inside an operator, where nothing moves, storages
are shared as `operator_graph` says.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.operator_graph import Operator, OperatorGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.memref_size import size_bytes


@dataclass
class TensorGraph:
    """Tensors between the operators of an `OperatorGraph`, by index; sizes in bytes."""

    tensors: list[SSAValue]
    """The tensor itself; operators may see it through views."""
    sizes: list[int]
    inputs: list[list[int]]
    """Tensors that each operator reads."""
    outputs: list[list[int]]
    """Tensors that each operator makes and others need."""
    workspaces: list[int]
    """Bytes that each operator needs besides its inputs and outputs."""
    returned: list[int]

    @classmethod
    def of(cls, graph: OperatorGraph) -> "TensorGraph":
        """Derive it from the operators of a function. Linear in its operations."""
        maker: dict[Operation, int] = {
            op: i for i, operator in enumerate(graph.operators) for op in operator.operations
        }
        result = cls([], [], [], [], [], [])
        index: dict[SSAValue, int] = {}
        outside = [_read_from_outside(graph, i, maker) for i in range(len(graph.operators))]
        needed = {value for values in outside for value in values}
        terminator = graph.function.body.block.last_op
        returned = [graph.root(value) for value in terminator.operands] if terminator else []
        needed.update(value for value in returned if value.owner in maker)
        for i, operator in enumerate(graph.operators):
            made: list[SSAValue] = [
                r for op in operator.operations for r in op.results if r in needed
            ]
            for value in made:
                index[value] = len(result.tensors)
                result.tensors.append(value)
                result.sizes.append(size_bytes(value.type) or 0)
            result.outputs.append([index[value] for value in made])
            result.inputs.append([index[value] for value in outside[i]])
            result.workspaces.append(_workspace(graph, operator.operations, made))
        result.returned = sorted({index[value] for value in returned if value in index})
        return result

    def workspace_of(self, graph: OperatorGraph, operator: Operator, outputs: Iterable[int]) -> int:
        """Return the bytes that an operator which makes ``outputs`` would need besides. Linear."""
        return _workspace(graph, operator.operations, [self.tensors[output] for output in outputs])


def _read_from_outside(
    graph: OperatorGraph, position: int, maker: dict[Operation, int]
) -> list[SSAValue]:
    """List the tensors that an operator reads and another one makes."""
    found: dict[SSAValue, None] = {}
    for op in graph.operators[position].operations:
        for value in values_used(op):
            root = graph.root(value)
            owner = root.owner
            if (
                isinstance(owner, Operation)
                and is_tensor(root.type)
                and maker.get(owner, position) != position
            ):
                found[root] = None
    return list(found)


def _workspace(graph: OperatorGraph, operations: list[Operation], made: list[SSAValue]) -> int:
    """Replay an operator: most bytes live inside it, less the tensors it makes."""
    storages = graph.storage_bytes
    lasting = {storage for value in made for storage in graph.holders.get(value, ())}
    own: set[int] = set()
    last_use: dict[int, int] = {}
    born: list[list[int]] = []
    for i, op in enumerate(operations):
        fresh: list[int] = []
        for result in op.results:
            for storage in graph.holders.get(result, ()):
                # A storage taken over from another operator counts as new: nothing is shared.
                if storage not in own:
                    own.add(storage)
                    fresh.append(storage)
        born.append(fresh)
        for value in (*values_used(op), *op.results):
            for storage in graph.holders.get(graph.root(value), ()):
                last_use[storage] = i
    dying: list[list[int]] = [[] for _ in operations]
    for storage in own - lasting:
        dying[last_use[storage]].append(storage)
    live = most = 0
    for fresh, dead in zip(born, dying, strict=True):
        live += sum(storages[storage] for storage in fresh)
        most = max(most, live)
        live -= sum(storages[storage] for storage in dead)
    return max(0, most - sum(size_bytes(value.type) or 0 for value in made))
