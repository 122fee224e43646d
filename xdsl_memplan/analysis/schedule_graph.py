"""From the operators of a function to the graph that the search of least peak reads."""

from collections.abc import Sequence
from itertools import pairwise

from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.model.graph import Graph, Operator, Tensor

RETURN = "return"
"""The last operator of `peak_graph`, which reads what the function returns."""


def peak_graph(graph: OperatorGraph) -> Graph:
    """Make the graph whose tensors are storages: what bufferization will hold.

    The last operator is the end of the function: returned storages are held until then. Workspace
    becomes a tensor that nobody reads. Linear.
    """
    inputs = [tuple(operator.inputs) for operator in graph.operators]
    outputs = [tuple(operator.outputs) for operator in graph.operators]
    made = {storage for storages in outputs for storage in storages}
    # Storages inside an operator are part of its workspace.
    tensors = [
        Tensor(f"storage{i}", size if i in made else 0, "activation" if i in made else "input")
        for i, size in enumerate(graph.storage_bytes)
    ]
    operators = _with_workspaces(
        graph, tensors, inputs, outputs, [o.workspace_bytes for o in graph.operators]
    )
    end = len(operators)
    operators.append(Operator(RETURN, tuple(graph.returned), ()))
    needed = {storage for storages in inputs for storage in storages}
    # Whoever makes nothing that is read would otherwise be free to run after the end.
    ends = [i for i, made in enumerate(outputs) if not needed.intersection(made)]
    edges = [*_kept_order(graph), *graph.edges, *((i, end) for i in ends)]
    return Graph(operators, tensors, edges, graph.function.sym_name.data)


def _with_workspaces(
    graph: OperatorGraph,
    tensors: list[Tensor],
    inputs: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
    workspaces: Sequence[int],
) -> list[Operator]:
    operators: list[Operator] = []
    for i, workspace in enumerate(workspaces):
        made = outputs[i]
        if workspace:
            made = (*made, len(tensors))
            tensors.append(Tensor(f"workspace{i}", workspace))
        last = graph.operators[i].operations[-1]
        operators.append(Operator(f"{last.name} {i}", inputs[i], made, last.name))
    return operators


def _kept_order(graph: OperatorGraph) -> list[tuple[int, int]]:
    ordered = [i for i, operator in enumerate(graph.operators) if operator.keeps_order]
    return list(pairwise(ordered))
