"""The order in which instances of sub-graphs run: GraphTurbo's Algorithm 3."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from xdsl_memplan.model.split_graph import Box
from xdsl_memplan.scheduling.graphturbo.grouping import SubGraph
from xdsl_memplan.scheduling.graphturbo.kernels import Kernels

Search = Literal["dfs", "bfs"]


class Instance(NamedTuple):
    """One part of a sub-graph's work."""

    sub_graph: int
    """Position among the sub-graphs."""
    number: int


class Instances:
    """All instances of some sub-graphs, and which parts of tensors each reads and makes."""

    def __init__(self, kernels: Kernels, sub_graphs: Sequence[SubGraph]) -> None:
        """Find the boxes of each instance. O(instances * operations of a sub-graph)."""
        self.kernels = kernels
        self.sub_graphs = sub_graphs
        self.boxes: dict[Instance, dict[int, Box]] = {}
        """For each instance the boxes of the tensors that it computes and reads."""
        self.all: list[Instance] = []
        for position, sub_graph in enumerate(sub_graphs):
            for number in range(sub_graph.instances):
                instance = Instance(position, number)
                self.all.append(instance)
                self.boxes[instance] = kernels.boxes(
                    sub_graph.kernels, sub_graph.dim, sub_graph.instances, number
                )
        self._owner = {k: i for i, s in enumerate(sub_graphs) for k in s.kernels}

    def maker(self, storage: int) -> int | None:
        """Return the sub-graph that makes a tensor; None for an argument."""
        kernel = self.kernels.maker.get(storage)
        return None if kernel is None else self._owner[kernel]

    def before(self, instance: Instance) -> list[Instance]:
        """List the instances of other sub-graphs whose results an instance reads, in order.

        An edge between sub-graphs leads to those instances only whose part is read (the paper's
        removal of redundant edges).
        """
        found: list[Instance] = []
        kernels = self.kernels
        for tensor in kernels.inputs(self.sub_graphs[instance.sub_graph].kernels):
            maker = self.maker(tensor)
            if maker is None:
                continue
            for number in range(self.sub_graphs[maker].instances):
                other = Instance(maker, number)
                if overlap(self.boxes[other].get(tensor), self.boxes[instance].get(tensor)):
                    found.append(other)
        return sorted(set(found))


def overlap(first: Box | None, second: Box | None) -> Box | None:
    """Return the box of the elements in both; None if there are none."""
    if first is None or second is None:
        return None
    both = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(first, second, strict=True))
    return both if all(start < stop for start, stop in both) else None


def order_instances(instances: Instances, search: Search) -> list[Instance]:
    """Order the instances (Algorithm 3): each after those that it reads from.

    `bfs` runs all instances of a sub-graph before the next one. `dfs` runs an instance as soon as
    what it reads is there: from the last sub-graph on, each instance after what it needs. Linear in
    instances and their edges.
    """
    if search == "bfs":
        return list(instances.all)
    order: list[Instance] = []
    seen: set[Instance] = set()
    readers = {before.sub_graph for i in instances.all for before in instances.before(i)}
    for root in instances.all:
        if root.sub_graph in readers:
            continue
        pending = [(root, False)]
        while pending:
            instance, is_ready = pending.pop()
            if is_ready:
                order.append(instance)
            elif instance not in seen:
                seen.add(instance)
                pending.append((instance, True))
                pending += [(before, False) for before in reversed(instances.before(instance))]
    return order
