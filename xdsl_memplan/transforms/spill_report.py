"""What is added to the message for a function that no spills bring under a capacity."""

from xdsl_memplan.analysis.location import describe_op, describe_value
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.model.graph import Graph

SHOWN = 6
"""How many tensors are listed."""


def spill_report(tensors: TensorGraph, graph: Graph, memory: Memory) -> str:
    """List the tensors of the operation that needs most at once, and say what may help.

    ``graph`` is a graph of ``tensors`` for the search. Sizes are bytes. Linear.
    """
    if not graph.operators:
        return ""
    largest = max(range(len(graph.operators)), key=graph.least_footprint)
    operator = graph.operators[largest]
    used = sorted({*operator.inputs, *operator.outputs}, key=lambda t: -tensors.sizes[t])
    operation = describe_op(tensors.operators[largest].operations[-1])
    lines = [f"{operation} reads and makes, in bytes:"]
    for t in used[:SHOWN]:
        lines.append(
            f"  {tensors.sizes[t]}{_rounded(tensors, graph, t)}: "
            f"{describe_value(tensors.tensors[t])}"
        )
    if len(used) > SHOWN:
        rest = sum(tensors.sizes[t] for t in used[SHOWN:])
        lines.append(f"  and {len(used) - SHOWN} more of {rest} bytes together")
    if any(_rounded(tensors, graph, t) for t in used):
        lines.append(f"sizes are rounded up to multiples of {memory.alignment}, the alignment")
    lines.append(
        f"what may help: {graph.least_footprint(largest)} bytes or more in '{memory.name}', or "
        "operations in tiles (memplan-pipeline{split=auto})"
    )
    return "\n".join(lines)


def _rounded(tensors: TensorGraph, graph: Graph, t: int) -> str:
    size, room = tensors.sizes[t], graph.tensors[t].size
    return f" ({room} with its alignment)" if room > size else ""
