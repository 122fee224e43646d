"""From the tensors of a function to the graphs that the search of least traffic reads.

Where a tensor is part of a larger one, of a concatenation or a pad, bufferization has a choice that
depends on the rest of the schedule, and no single graph has all of it; see `Parts`.
"""

from enum import Enum, auto
from itertools import pairwise

from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.model.graph import Graph, Operator, Tensor


class Parts(Enum):
    """What a part of a larger tensor costs."""

    LIE_INSIDE = auto()
    """Nothing, ever: the larger tensor is what it has besides its parts. Every schedule that can be
    carried out is one of this graph, so what it proves holds; not each of its own can."""
    MOVE_INSIDE = auto()
    """Nothing if it is not needed elsewhere on chip: then it is made, or comes back, where it will
    be a part. Otherwise it is there twice."""
    COME_BACK_INSIDE = auto()
    """Nothing if it comes back for the operation that puts it into the larger one; otherwise it is
    there twice, and copied. Every schedule of this graph can be carried out, but for addresses."""


def traffic_graph(graph: TensorGraph, alignment: int, parts: Parts) -> Graph:
    """Make the graph whose tensors can be moved off chip; returned ones are outputs. Linear.

    Sizes are rounded up to multiples of ``alignment`` bytes, so that all addresses are aligned.
    """
    riders = _riders(graph) if parts is Parts.LIE_INSIDE else {}
    sizes = _sizes(graph, riders, alignment)
    if parts is Parts.LIE_INSIDE:
        # What is inserted may have been made where it goes, over what was there.
        for operator in graph.operators:
            for read in operator.inserts:
                sizes[read] = 0
    pieces = _pieces(graph, riders)
    outputs = {piece for tensor in graph.returned for piece in pieces[tensor]}
    made = {tensor for operator in graph.operators for tensor in operator.outputs}
    listed = [
        Tensor(
            f"%{value.name_hint}" if value.name_hint else f"tensor{i}",
            sizes[i],
            "output" if i in outputs else "activation" if i in made else "input",
        )
        for i, value in enumerate(graph.tensors)
    ]
    operators: list[Operator] = []
    for i, operator in enumerate(graph.operators):
        last = operator.operations[-1]
        shared = [*operator.over, *operator.parts]
        inputs = dict.fromkeys(piece for tensor in operator.inputs for piece in pieces[tensor])
        overwrites = [
            (result, piece)
            for result, read in shared
            for piece in pieces[read]
            if piece not in pieces[result]
        ]
        operators.append(
            Operator(
                f"{last.name} {i}",
                tuple(inputs),
                tuple(operator.outputs),
                last.name,
                tuple(dict.fromkeys(overwrites)),
                parts is Parts.COME_BACK_INSIDE and bool(operator.parts),
            )
        )
    ordered = [i for i, operator in enumerate(graph.operators) if operator.keeps_order]
    name = graph.function.sym_name.data
    return Graph(operators, listed, [*pairwise(ordered), *graph.edges], name)


def has_choice(graph: TensorGraph) -> bool:
    """Tell whether the graphs of `Parts.LIE_INSIDE` and `Parts.MOVE_INSIDE` differ."""
    return bool(_riders(graph)) or any(operator.inserts for operator in graph.operators)


def _riders(graph: TensorGraph) -> dict[int, list[int]]:
    """For each larger tensor what may live on in it when it is read elsewhere, too: its riders.

    That is a part that something else reads; and of a part that nothing else reads, the riders: it
    may be made inside the larger tensor, with what lies in itself.
    """
    readers = graph.readers()
    riders: dict[int, list[int]] = {}
    for operator in graph.operators:
        for result, read in dict.fromkeys(operator.parts):
            found = [read] if readers[read] > 1 else riders.get(read, [])
            if found:
                riders.setdefault(result, []).extend(found)
    return riders


def _pieces(graph: TensorGraph, riders: dict[int, list[int]]) -> list[list[int]]:
    """What each tensor consists of: its own bytes, and the parts that ride in it."""
    pieces = [[i] for i in range(len(graph.tensors))]
    for operator in graph.operators:
        for made in operator.outputs:
            inside = [piece for rider in riders.get(made, ()) for piece in pieces[rider]]
            pieces[made] = list(dict.fromkeys([made, *inside]))
    return pieces


def _sizes(graph: TensorGraph, riders: dict[int, list[int]], alignment: int) -> list[int]:
    """Bytes of each tensor, less those of its riders."""
    sizes = [-(-size // alignment) * alignment for size in graph.sizes]
    inside = {made: sum(sizes[rider] for rider in ridden) for made, ridden in riders.items()}
    if any(sizes[made] < bytes for made, bytes in inside.items()):
        # Side by side they take more than together: only without rounding is it a bound.
        sizes = list(graph.sizes)
        inside = {made: sum(sizes[rider] for rider in ridden) for made, ridden in riders.items()}
    return [max(0, size - inside.get(made, 0)) for made, size in enumerate(sizes)]
