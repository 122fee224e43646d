"""A graph as the Rust core's binding reads it: Python's numbers may be what the core's are not."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl_memplan import _idealloc
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.scheduling.errors import InvalidGraphError

MOST_BYTES = 2**63 - 1
"""Largest size of a tensor or memory."""


def as_core_graph(graph: Graph) -> dict[str, Any]:
    """Lay a graph out as the binding reads it. O(operators + uses).

    Raises InvalidGraphError that names a tensor whose size, or an operator whose tensors, are no
    such numbers; the core says the rest.
    """
    for tensor in graph.tensors:
        size = cast(object, tensor.size)
        if not isinstance(size, int):
            raise InvalidGraphError(f"tensor '{tensor.id}': {size!r} bytes is not an integer")
        if not 0 <= size <= MOST_BYTES:
            raise InvalidGraphError(f"tensor '{tensor.id}': {size} bytes is not in 0 .. 2^63 - 1")
    tensors, operators = positions_of(graph.tensors), positions_of(graph.operators)
    for op in graph.operators:
        if not tensors.issuperset(op.inputs) or not tensors.issuperset(op.outputs):
            used = (*op.inputs, *op.outputs)
            check_positions(used, tensors, f"operator '{op.id}' uses tensor")
        for pair in op.overwrites:
            check_positions(pair, tensors, f"operator '{op.id}' overwrites tensor")
    for edge in graph.edges:
        check_positions(edge, operators, f"edge {edge} names operator")
    return {
        "op_names": [op.id for op in graph.operators],
        "op_inputs": [list(op.inputs) for op in graph.operators],
        "op_outputs": [list(op.outputs) for op in graph.operators],
        "tensor_names": [tensor.id for tensor in graph.tensors],
        "tensor_bytes": [tensor.size for tensor in graph.tensors],
        "is_source": [tensor.is_source for tensor in graph.tensors],
        "is_output": [tensor.kind == "output" for tensor in graph.tensors],
        "edges": list(graph.edges),
        "overwrites": [
            (i, result, read)
            for i, op in enumerate(graph.operators)
            for result, read in op.overwrites
        ],
        "reloads": [i for i, op in enumerate(graph.operators) if op.reloads],
    }


def check_graph(graph: Graph) -> None:
    """Check that a graph can be planned: no cycle, one maker for each tensor, sizes that add up.

    Complexity: O(operators + uses).

    Raises InvalidGraphError that names what is wrong.
    """
    _idealloc.check_graph(as_core_graph(graph))


def positions_of(items: Sequence[object]) -> frozenset[int]:
    """Return the positions in a list. Linear."""
    return frozenset(range(len(items)))


def check_positions(positions: Iterable[int], known: frozenset[int], what: str) -> None:
    """Check that all positions are known ones; ``what`` begins the message. Linear.

    Raises InvalidGraphError with the first that is not.
    """
    for position in positions:
        if position not in known:
            raise InvalidGraphError(f"{what} {position}, which does not exist")
