"""What is added to the message for a function that no spills bring under a capacity."""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp

from xdsl_memplan.analysis.location import describe_op, describe_value
from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.transforms.bufferize.module import place_function
from xdsl_memplan.transforms.bufferize.peak import Peak

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
    listed = [f"{_rounded(tensors, graph, t)}: {describe_value(tensors.tensors[t])}" for t in used]
    lines += _largest([tensors.sizes[t] for t in used], listed)
    if any(_rounded(tensors, graph, t) for t in used):
        lines.append(f"sizes are rounded up to multiples of {memory.alignment}, the alignment")
    lines.append(
        f"what may help: {graph.least_footprint(largest)} bytes or more in '{memory.name}', or "
        "operations in tiles (memplan-pipeline{split=auto})"
    )
    return "\n".join(lines)


def live_report(function: FuncOp, memory: Memory) -> str:
    """List what is live where a function without loops and branches needs most, as it is now.

    Sizes are bytes. As `place_function`.
    """
    op, live = Peak(
        place_function(function, {}, in_place=True, default_arena=memory.name)
    ).fullest()
    if op is None:
        return ""
    total = sum(size for size, _ in live)
    aligned = all(size % memory.alignment == 0 for size, _ in live)
    begin = "" if aligned else f", each of which begins at a multiple of {memory.alignment}"
    return "\n".join(
        [
            f"at {describe_op(op)}, {total} bytes are live in {len(live)} buffers{begin}:",
            *_largest([size for size, _ in live], [f": {describe_value(v)}" for _, v in live]),
            "what may help: operations in tiles (memplan-pipeline{split=auto})",
        ]
    )


def _largest(sizes: Sequence[int], names: Sequence[str]) -> list[str]:
    """A line for each of the first, and one for the rest."""
    lines = [f"  {size}{name}" for size, name in zip(sizes[:SHOWN], names, strict=False)]
    if len(sizes) > SHOWN:
        lines.append(f"  and {len(sizes) - SHOWN} more of {sum(sizes[SHOWN:])} bytes together")
    return lines


def _rounded(tensors: TensorGraph, graph: Graph, t: int) -> str:
    size, room = tensors.sizes[t], graph.tensors[t].size
    return f" ({room} with its alignment)" if room > size else ""
