"""Sub-graphs as groups of consecutive layers, which other parts lay out and expand."""

from itertools import groupby

from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.scheduling.graphturbo.grouping import Rule, SubGraph, group
from xdsl_memplan.scheduling.graphturbo.kernels import Kernels
from xdsl_memplan.scheduling.splitting import GivenCut, GivenGroup


def layer_groups(graph: SplitGraph, capacity: int, rule: Rule) -> list[GivenGroup]:
    """Group the layers of a graph by GraphTurbo's rules, for lay_out_groups.

    A sub-graph whose kernels are not next to each other becomes several groups. The rules leave
    weights out of the room of an instance: where a group does not fit with them, more and smaller
    instances are tried.

    Raises ValueError if layers are not numbered.
    """
    kernels = Kernels(graph)
    found: list[GivenGroup] = []
    for sub_graph in group(kernels, capacity, rule):
        runs = groupby(enumerate(sub_graph.kernels), key=lambda pair: pair[1] - pair[0])
        for _, pairs in runs:
            members = tuple(kernel for _, kernel in pairs)
            found.append(GivenGroup(members[0], members[-1], _ways(kernels, sub_graph, members)))
    return sorted(found, key=lambda given: given.first_layer)


def _ways(
    kernels: Kernels, sub_graph: SubGraph, members: tuple[int, ...]
) -> tuple[tuple[GivenCut, ...], ...]:
    """List the cuts of a group: the factor of its sub-graph, then larger ones."""
    least = sub_graph.instances
    ways: list[tuple[GivenCut, ...]] = [()] if least == 1 else []
    dim, outputs = sub_graph.dim, kernels.outputs(members)
    if dim is not None and outputs:
        extent = min(kernels.graph.tensors[tensor].shape[dim] for tensor in outputs)
        divisors = [v for v in range(max(2, least), extent + 1) if extent % v == 0]
        ways += [(GivenCut(dim, v, cached=False),) for v in divisors]
    return tuple(ways)
