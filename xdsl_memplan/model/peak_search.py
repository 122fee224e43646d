"""A search of its own for the least peak: what a bound of the peak is checked with."""

from heapq import heappop, heappush

from xdsl_memplan.model.bound_search import SearchedBound
from xdsl_memplan.model.graph import Graph


def least_peak_of(graph: Graph, max_states: int) -> SearchedBound:
    """Bound the bytes on chip at the worst moment of any order in which nothing moves.

    Best first over the sets of operators that have run. Where an operator fits below the peak so
    far and leaves no more on chip than there was, only that one is followed: moved to the front of
    any order it adds nothing at any later moment. Exponential at worst; ends at ``max_states``.

    Raises ValueError if the graph has a cycle.
    """
    moves = _Moves(graph)
    everything = (1 << len(graph.operators)) - 1
    open_sets = [(0, 0, 0, 0)]
    visited: set[int] = set()
    while open_sets:
        peak, _, run, held = heappop(open_sets)
        if run in visited:
            continue
        if run == everything:
            return SearchedBound(peak, True, len(visited))
        if len(visited) == max_states:
            return SearchedBound(peak, False, len(visited))
        visited.add(run)
        following = [(op, *moves.effect(run, held, op)) for op in moves.ready(run)]
        harmless = [move for move in following if move[1] <= peak and move[2] <= held]
        for op, footprint, left in harmless[:1] or following:
            then = run | 1 << op
            heappush(open_sets, (max(peak, footprint), -then.bit_count(), then, left))
    raise ValueError("the operators wait for each other")


class _Moves:
    """What can run after a set of operators, and what that does to the bytes on chip."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._readers = [0] * len(graph.tensors)
        self._before = [0] * len(graph.operators)
        maker = {tensor: op for op, made in enumerate(graph.operators) for tensor in made.outputs}
        for i, op in enumerate(graph.operators):
            for tensor in op.inputs:
                self._readers[tensor] |= 1 << i
                if tensor in maker:
                    self._before[i] |= 1 << maker[tensor]
        for first, then in graph.edges:
            self._before[then] |= 1 << first

    def ready(self, run: int) -> list[int]:
        return [
            op
            for op, before in enumerate(self._before)
            if not run >> op & 1 and before & run == before
        ]

    def effect(self, run: int, held: int, op: int) -> tuple[int, int]:
        """The bytes on chip while an operator runs and after it; ``held`` were there before."""
        tensors = self._graph.tensors
        reads, makes = set(self._graph.operators[op].inputs), self._graph.operators[op].outputs
        comes = sum(
            tensors[t].size for t in reads if tensors[t].is_source and not self._readers[t] & run
        )
        footprint = held + comes + sum(tensors[t].size for t in makes)
        run |= 1 << op
        dead = [t for t in (*reads, *makes) if self._readers[t] & run == self._readers[t]]
        return footprint, footprint - sum(tensors[t].size for t in dead)
