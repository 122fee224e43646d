"""Sub-graphs, and how each is split: GraphTurbo's Algorithms 1 and 2.

The paper leaves some things open; this is how they are read here. The room of a sub-graph is that
of its activations with its inputs, elementwise operations in place, and weights left out. The
capacity is that of all cores together. All tensors of a sub-graph are split along with its output,
exactly: no element is needed by two instances. A sub-graph hands on one tensor.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from xdsl_memplan.scheduling.graphturbo.kernels import Kernels

Rule = Literal["literal", "block-first"]


@dataclass(frozen=True)
class SubGraph:
    """Kernels that run one after another, in `factor` instances."""

    kernels: tuple[int, ...]
    """Ascending."""
    dim: int | None
    """Dimension of the output that is split; None if there is none that all tensors follow."""
    factor: int | None
    """Number of instances; None if an instance does not fit however many there are."""

    @property
    def instances(self) -> int:
        """Number of instances that run; one if none fits."""
        return self.factor or 1


def split_info(kernels: Kernels, members: Iterable[int], capacity: int) -> SubGraph:
    """Find the dimension and the least factor by which an instance fits (Algorithm 1).

    Of the output's dimensions the first counts that has a factor: a divisor of its extent, so that
    every activation of the sub-graph is that fraction of itself in each instance, and the room of
    one instance is at most `capacity`. O(operations * divisors).
    """
    chosen = tuple(sorted(members))
    room = kernels.room(chosen)
    outputs = kernels.outputs(chosen)
    if len(outputs) != 1:
        return SubGraph(chosen, None, 1 if room <= capacity else None)
    shape = kernels.graph.tensors[outputs[0]].shape
    first: int | None = None
    for dim, extent in enumerate(shape):
        factors = [v for v in range(2, extent + 1) if extent % v == 0]
        if not factors or not kernels.follow(chosen, dim, factors[-1]):
            continue
        first = dim if first is None else first
        if room <= capacity:
            return SubGraph(chosen, dim, 1)
        for factor in factors:
            if room <= factor * capacity and kernels.follow(chosen, dim, factor):
                return SubGraph(chosen, dim, factor)
    return SubGraph(chosen, first, 1 if room <= capacity else None)


def blocks(kernels: Kernels) -> list[tuple[int, ...]]:
    """Cut the kernels where a single tensor is live between them; linear."""
    found: list[tuple[int, ...]] = []
    current: list[int] = []
    live: set[int] = set()
    for kernel in range(kernels.count):
        current.append(kernel)
        live |= {t for t in kernels.outputs([kernel]) if kernels.readers.get(t)}
        live = {t for t in live if max(kernels.readers[t]) > kernel}
        if len(live) <= 1:
            found.append(tuple(current))
            current = []
    return [*found, tuple(current)] if current else found


def group(kernels: Kernels, capacity: int, rule: Rule, *, diamonds: bool = True) -> list[SubGraph]:
    """Group kernels into sub-graphs (Algorithm 2), in an order in which they can run.

    Rule (i) merges a sub-graph with one that reads it if both are split along the same dimension
    and the reader's factor does not grow. Rule (ii) merges a sub-graph, all that is between it and
    the first that all of its readers lead to, and that one, with the largest of their factors.
    Merges are tried from the first sub-graph on until there is none.

    With `literal` these start from kernels; with `block-first`, which is not in the paper, from
    `blocks`, and rule (ii) is left out. `diamonds` leaves it out of `literal` too.

    O(kernels^2 * operations) at the worst.
    """
    start = blocks(kernels) if rule == "block-first" else [(k,) for k in range(kernels.count)]
    found = [split_info(kernels, members, capacity) for members in start]
    known: dict[tuple[int, ...], SubGraph] = {}
    merges: list[Callable[[_Wiring, SubGraph], list[SubGraph] | None]] = [_Wiring.pair]
    if diamonds and rule == "literal":
        merges.append(_Wiring.diamond)
    merged = True
    while merged:
        merged = False
        wiring = _Wiring(kernels, found, capacity, known)
        for first in found:
            for merge in merges:
                result = None if first.factor is None else merge(wiring, first)
                if result is not None:
                    found, merged = result, True
                    break
            if merged:
                break
    return _Wiring(kernels, found, capacity, known).in_order()


class _Wiring:
    """Sub-graphs and who reads whom."""

    def __init__(
        self,
        kernels: Kernels,
        found: list[SubGraph],
        capacity: int,
        known: dict[tuple[int, ...], SubGraph],
    ) -> None:
        self.kernels = kernels
        self.found = found
        self.capacity = capacity
        self.known = known
        """How sub-graphs are split that were looked at before."""
        self.owner = {kernel: s for s in found for kernel in s.kernels}
        self.readers: dict[SubGraph, list[SubGraph]] = {s: [] for s in found}
        for storage, reading in kernels.readers.items():
            maker = kernels.maker.get(storage)
            if maker is not None:
                listed = self.readers[self.owner[maker]]
                for reader in map(self.owner.__getitem__, sorted(reading)):
                    if reader is not self.owner[maker] and reader not in listed:
                        listed.append(reader)
        for listed in self.readers.values():
            listed.sort(key=lambda s: s.kernels)

    def in_order(self) -> list[SubGraph]:
        """Sort so that each comes after those it reads, and otherwise by first kernel."""
        waiting = dict.fromkeys(self.found, 0)
        for readers in self.readers.values():
            for reader in readers:
                waiting[reader] += 1
        order: list[SubGraph] = []
        ready = [s for s, count in waiting.items() if count == 0]
        while ready:
            ready.sort(key=lambda s: s.kernels)
            order.append(ready.pop(0))
            for reader in self.readers[order[-1]]:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    ready.append(reader)
        return order

    def pair(self, first: SubGraph) -> list[SubGraph] | None:
        """Merge with a reader by rule (i); None if there is none to merge with."""
        for reader in self.readers[first]:
            if reader.factor is None or not self._fits([first, reader]):
                continue
            members = tuple(sorted((*first.kernels, *reader.kernels)))
            if members not in self.known:
                self.known[members] = split_info(self.kernels, members, self.capacity)
            info = self.known[members]
            grows = info.factor is None or info.factor > reader.factor
            if not grows and info.dim == reader.dim:
                return self._replaced([first, reader], info)
        return None

    def diamond(self, first: SubGraph) -> list[SubGraph] | None:
        """Merge with what is around it by rule (ii); None if it begins no diamond."""
        if len(self.readers[first]) < 2:
            return None
        reach = {s: self._reached([s]) for s in self.readers[first]}
        common = set[SubGraph].intersection(*({s, *found} for s, found in reach.items()))
        if not common:
            return None
        # The one that leads to all others that they have in common.
        end = max(common, key=lambda s: (len(self._reached([s])), s.kernels))
        between = [
            s
            for s in self._reached([first])
            if s is end or (end in self._reached([s]) and s is not first)
        ]
        parts = [first, *between]
        factors = [s.factor for s in parts]
        if any(factor is None for factor in factors) or not self._fits(parts):
            return None
        members = tuple(sorted(kernel for s in parts for kernel in s.kernels))
        factor = max(factor for factor in factors if factor is not None)
        dim = first.dim
        if factor > 1 and (dim is None or not self.kernels.follow(members, dim, factor)):
            return None
        return self._replaced(parts, SubGraph(members, dim, factor))

    def _fits(self, parts: list[SubGraph]) -> bool:
        """Tell whether parts are split alike, have one output together, and no way out and back."""
        if any(s.dim != parts[0].dim for s in parts):
            return False
        if len(self.kernels.outputs({kernel for s in parts for kernel in s.kernels})) > 1:
            return False
        outside = {r for s in parts for r in self.readers[s] if r not in parts}
        return self._reached(outside).isdisjoint(parts)

    def _reached(self, starts: Iterable[SubGraph]) -> set[SubGraph]:
        """What reads from some sub-graphs, directly or not."""
        found: set[SubGraph] = set()
        pending = list(starts)
        while pending:
            for reader in self.readers[pending.pop()]:
                if reader not in found:
                    found.add(reader)
                    pending.append(reader)
        return found

    def _replaced(self, parts: list[SubGraph], merged: SubGraph) -> list[SubGraph]:
        rest = [s for s in self.found if s not in parts]
        return sorted([*rest, merged], key=lambda s: s.kernels)
