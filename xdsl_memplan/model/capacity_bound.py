"""The bytes that must be moved because the on-chip memory is small.

After Hong and Kung (STOC 1981), with the constant of Smith et al. (arXiv 1702.02017), for a whole
network and with a limited recomputation. Some contractions are chosen; let `S` be the elements that
the memory holds. A plan is parted where `2 S` more elements have been fetched or begun (elements of
the results of these contractions; nothing else counts). In each part at most `3 S` elements have
been on chip: `B` of weights and `T` of inputs and results. A contraction of `b` weights, `a` inputs
and `c` results does `w * sqrt(b * a * c)` multiply-adds with them, `w` from its window
(`model/contraction.py`). All of them divided by their `w` are in one part at most

    sum of sqrt(b * a * c)  <=  sqrt(B) * sqrt(sum of a * c)  <=  sqrt(B) * T / 2  <=  S ** 1.5

The first step is Cauchy's; weights of two contractions are different tensors. Inputs and results
are the nodes of a graph, contractions its edges: `sum of a * c` is at most
`T ** 2 * (1 - 1 / k) / 2` where `k` colours do, such as two (Motzkin and Straus, Canad. J. Math.
17, 1965). So all multiply-adds need so many parts, and so many elements fetched or begun. Each
element is begun once, but for those that are computed again: of these there are no more than the
multiply-adds that a plan does beyond those needed, divided by the fewest that an element takes.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xdsl_memplan.model.contraction import Contraction, contraction_of
from xdsl_memplan.model.least_traffic import (
    bytes_at_least,
    bytes_read,
    surely_needed,
)
from xdsl_memplan.model.origins import origins
from xdsl_memplan.model.split_graph import SplitGraph, box_elements, loops_of


@dataclass(frozen=True, slots=True)
class CapacityBound:
    """A lower bound on the bytes that a plan moves, for any capacity, if all is staged."""

    floor: int
    """Distinct bytes that are read of arguments and constants, and bytes of results."""
    contractions: tuple[Contraction, ...]
    """Each has weights of its own, which are no other's input."""
    bytes_read: dict[int, int]
    """Of each argument and constant the distinct bytes that `floor` counts."""
    elements: dict[int, int]
    """Elements of each tensor of `contractions`."""
    element_bytes: dict[int, int]
    points_per_element: dict[int, int]
    """Multiply-adds for an element of each result."""
    least_points: int
    """Multiply-adds of all contractions of the function that are surely needed."""

    @staticmethod
    def of(graph: SplitGraph, uniform: Collection[int] = ()) -> "CapacityBound":
        """Collect what the bound depends on; linear but for concatenations.

        `uniform` are positions of tensors with one value everywhere.
        """
        needed = surely_needed(graph, uniform)
        known = origins(graph, uniform)
        found: list[Contraction] = []
        points_per_element: dict[int, int] = {}
        least_points = 0
        copies = _copies(graph)
        for number, op in enumerate(graph.ops):
            if not op.splittable or not op.work_per_point:
                continue
            for result in op.results:
                size = prod(graph.tensors[result].shape)
                points_per_element[result] = prod(op.loops) // size
            boxes = needed.get(op.results[0])
            if boxes and number not in copies:
                loops = loops_of(op, max(boxes, key=box_elements))
                least_points += box_elements(loops)
                contraction = contraction_of(op, loops, graph, known)
                if contraction is not None:
                    found.append(contraction)
        contractions = _with_weights_of_their_own(found)
        read = bytes_read(graph, needed, uniform)
        tensors = sorted({tensor for c in contractions for tensor in c.tensors})
        return CapacityBound(
            bytes_at_least(graph, read, uniform),
            contractions,
            read,
            {tensor: prod(graph.tensors[tensor].shape) for tensor in tensors},
            {tensor: graph.tensors[tensor].element_bytes for tensor in tensors},
            points_per_element,
            least_points,
        )

    def bytes_moved(self, capacity: int, points: int | None = None) -> int:
        """Return how many bytes every plan moves at least, never less than `floor`.

        Plans are meant that compute an element of a contraction's result from its first to its last
        multiply-add each time, and do no more than `points` multiply-adds in all; by default none
        that is not needed. `capacity` are the bytes of the on-chip memory. The bound holds for each
        choice of contractions; the best of some is taken, so that another choice may give more.
        """
        again = 0 if points is None else max(points - self.least_points, 0)
        best = self.floor
        for fewest in sorted({self.points_per_element[c.result] for c in self.contractions}):
            chosen = [c for c in self.contractions if self.points_per_element[c.result] >= fewest]
            chosen = self._worth_it(chosen, capacity)
            if chosen:
                best = max(best, self._bytes_moved(chosen, capacity, again))
        return best

    def _bytes_moved(self, chosen: Sequence[Contraction], capacity: int, again: int) -> int:
        tensors = {tensor for c in chosen for tensor in c.tensors}
        smallest = min(self.element_bytes[tensor] for tensor in tensors)
        held = max(capacity // smallest, 1)
        most_in_a_part = (2 * (1 - 1 / _colours(chosen))) ** 0.5 * held**1.5
        least = 2 * held * (sum(map(_uses, chosen)) / most_in_a_part - 1)
        results = [tensor for tensor in tensors if tensor in self.points_per_element]
        begun = sum(self.elements[tensor] for tensor in results)
        begun += again // max(min(self.points_per_element[tensor] for tensor in results), 1)
        others = self.floor - sum(self.bytes_read.get(tensor, 0) for tensor in tensors)
        # Rounding errors must not lift the bound.
        return others + int((least - begun) * smallest * (1 - 1e-9)) - 1

    def _worth_it(self, chosen: list[Contraction], capacity: int) -> list[Contraction]:
        """Leave out contractions whose own tensors cost more than they give, as long as some do."""
        while chosen:
            readers: dict[int, int] = {}
            for contraction in chosen:
                for tensor in contraction.tensors:
                    readers[tensor] = readers.get(tensor, 0) + 1
            smallest = min(self.element_bytes[tensor] for tensor in readers)
            gain = 2 / (capacity // smallest or 1) ** 0.5
            kept = [
                c
                for c in chosen
                if gain * _uses(c)
                >= sum(self._cost(t) / smallest for t in c.tensors if readers[t] == 1)
            ]
            if len(kept) == len(chosen):
                break
            chosen = kept
        return chosen

    def _cost(self, tensor: int) -> int:
        """Return the bytes by which the bound falls because a tensor is counted."""
        if tensor in self.points_per_element:
            return self.elements[tensor] * self.element_bytes[tensor]
        return self.bytes_read.get(tensor, 0)


def _copies(graph: SplitGraph) -> set[int]:
    """List the operations that may compute again what one before them has computed.

    A plan need not. Others of the same kind that read the same may be among them, which lowers the
    bound.
    """
    first: dict[tuple[object, ...], tuple[int, ...]] = {}
    same: dict[int, int] = {}
    copies: set[int] = set()
    for number, op in enumerate(graph.ops):
        read = ((same.get(o.tensor, o.tensor), o.access) for o in op.operands)
        kind = (op.name, op.loops, op.iterators, op.result_access, *read)
        results = first.setdefault(kind, op.results)
        if results is not op.results and len(results) == len(op.results):
            copies.add(number)
            same.update(zip(op.results, results, strict=True))
    return copies


def _uses(contraction: Contraction) -> float:
    """Return the points, divided by how much more often a window uses what is on chip."""
    return contraction.points / contraction.reuse**0.5


def _with_weights_of_their_own(found: Sequence[Contraction]) -> tuple[Contraction, ...]:
    """Keep one contraction of each weights: the one of most points."""
    inputs = {tensor for c in found for tensor in c.inputs}
    best: dict[int, Contraction] = {}
    for contraction in found:
        known = best.get(contraction.weights)
        if contraction.weights not in inputs and (
            known is None or _uses(contraction) > _uses(known)
        ):
            best[contraction.weights] = contraction
    return tuple(best.values())


def _colours(chosen: Sequence[Contraction]) -> int:
    """Colour inputs and results one after the other, and return the number of colours."""
    neighbours: dict[int, list[int]] = {}
    for contraction in chosen:
        for tensor in contraction.inputs:
            neighbours.setdefault(tensor, []).append(contraction.result)
            neighbours.setdefault(contraction.result, []).append(tensor)
    colour: dict[int, int] = {}
    for tensor, others in neighbours.items():
        taken = {colour[other] for other in others if other in colour}
        colour[tensor] = next(n for n in range(len(taken) + 1) if n not in taken)
    return max(colour.values()) + 1
