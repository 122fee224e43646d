"""Factors that count what instances fetch again: less leaves the cores than by the paper's rule.

Each instance fetches the weights of its kernels, which the paper's rule does not see. Here every
block gets a factor of its own, never larger than that of the block before, so that what the whole
order moves is least.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from xdsl_memplan.scheduling.graphturbo.grouping import SubGraph, blocks
from xdsl_memplan.scheduling.graphturbo.kernels import Kernels
from xdsl_memplan.scheduling.graphturbo.off_core import OffCore, off_core
from xdsl_memplan.scheduling.graphturbo.ordering import Instance, Instances, Search, order_instances

_SEARCHES: tuple[Search, ...] = ("dfs", "bfs")


@dataclass(frozen=True)
class WeightAware:
    """The best factors found, and what they move."""

    sub_graphs: tuple[SubGraph, ...]
    order: tuple[Instance, ...]
    moved: OffCore
    is_proved: bool
    """Whether no other factors of blocks move less."""


def least_off_core(
    kernels: Kernels, local: int, shared: int, evaluations: int = 2000, *, pin: bool = True
) -> WeightAware | None:
    """Find factors of blocks, none larger than the one before, that move the fewest bytes.

    Best first: vectors of factors are evaluated, in both orders, by a bound on the weights that
    they fetch, the largest factors first, until the bound reaches what was found. Blocks next to
    each other with equal factors are one sub-graph.

    Args:
        kernels: the graph; blocks are cut along the first dimension of their output that has
            several elements.
        local: bytes of all local buffers.
        shared: bytes of the global buffer.
        evaluations: vectors looked at, at the most.
        pin: whether weights may stay in the global buffer between instances.

    Returns None if none of those looked at fits.
    """
    parts = blocks(kernels)
    choices = [_factors(kernels, members) for members in parts]
    weights = [kernels.weight_bytes(members) for members in parts]
    network = kernels.network_bytes()
    best: WeightAware | None = None
    heap: list[_Partial] = [_Partial(sum(weights) + network, (), 0)]
    for _ in range(evaluations):
        while heap and heap[0].depth < len(parts):
            partial = heappop(heap)
            for factor in choices[partial.depth]:
                longer = partial.extended(factor, weights[partial.depth], shared if pin else 0)
                if longer is not None:
                    heappush(heap, longer)
        if not heap or (best is not None and heap[0].bound >= best.moved.total):
            return None if best is None else replace(best, is_proved=True)
        sub_graphs = _joined(kernels, parts, heappop(heap).vector)
        instances = Instances(kernels, sub_graphs)
        for search in _SEARCHES:
            order = order_instances(instances, search)
            moved = off_core(instances, order, local, shared, pin=pin)
            if moved.is_feasible and (best is None or moved.total < best.moved.total):
                best = WeightAware(tuple(sub_graphs), tuple(order), moved, is_proved=False)
    return best


@dataclass(frozen=True)
class _Partial:
    """Factors of the first blocks."""

    bound: int
    """Bytes that move at the least: what instances fetch again beyond what can be pinned."""
    vector: tuple[int, ...]
    run: int
    """Bytes of the weights of the last blocks with equal factors."""

    @property
    def depth(self) -> int:
        return len(self.vector)

    def __lt__(self, other: "_Partial") -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[int, int, tuple[int, ...]]:
        return self.bound, -self.depth, tuple(-factor for factor in self.vector)

    def extended(self, factor: int, weights: int, shared: int) -> "_Partial | None":
        """Add a block; None if its factor is larger than the one before."""
        if self.vector and factor > self.vector[-1]:
            return None
        before = self.run if self.vector and factor == self.vector[-1] else 0
        # Weights of one sub-graph with several instances are needed at the same time.
        more = max(0, before + weights - shared) - max(0, before - shared)
        bound = self.bound + (factor - 1) * more
        return _Partial(bound, (*self.vector, factor), before + weights)


def _dim(kernels: Kernels, members: tuple[int, ...]) -> int | None:
    outputs = kernels.outputs(members)
    shape = kernels.graph.tensors[outputs[0]].shape if len(outputs) == 1 else ()
    return next((d for d, extent in enumerate(shape) if extent > 1), None)


def _factors(kernels: Kernels, members: tuple[int, ...]) -> list[int]:
    """List the factors by which a block may be split, ascending."""
    dim = _dim(kernels, members)
    if dim is None:
        return [1]
    extent = kernels.graph.tensors[kernels.outputs(members)[0]].shape[dim]
    divisors = [v for v in range(2, extent + 1) if extent % v == 0]
    return [1, *(v for v in divisors if kernels.follow(members, dim, v))]


def _joined(
    kernels: Kernels, parts: Sequence[tuple[int, ...]], vector: Sequence[int]
) -> list[SubGraph]:
    """Make sub-graphs of neighbouring blocks with equal factors."""
    found: list[SubGraph] = []
    for members, factor in zip(parts, vector, strict=True):
        dim = _dim(kernels, members)
        if found and found[-1].factor == factor and found[-1].dim == dim:
            members = (*found.pop().kernels, *members)
        found.append(SubGraph(members, dim, factor))
    return found
