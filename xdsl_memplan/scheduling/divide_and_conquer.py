"""Scheduling between break points: for graphs that are too large for the exact search.

COSMA IV cuts a network at break nodes picked by hand. Here the cuts are found: in the order of
least peak, or the given one where that is not to be had, at the places where the fewest bytes are
live. Everything before a cut runs before everything after it; between cuts the search is exact.
"""

from collections.abc import Sequence
from dataclasses import replace

from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

DEFAULT_PART = 60
"""Operators of a part, about."""


def schedule_by_parts(
    graph: Graph, capacity: int, part: int = DEFAULT_PART, settings: SearchSettings | None = None
) -> Schedule:
    """Schedule with cuts about every ``part`` operators; ``capacity`` is bytes.

    `Schedule.bound` holds for all schedules, not only those that respect the cuts: the sum of what
    each part must move of its own tensors. So value less bound is what the cuts may lose at most.
    Each part is searched exactly within `SearchSettings.max_states`.

    Raises InvalidGraphError, ValueError for parts of less than one operator.
    """
    if part < 1:
        raise ValueError(f"a part needs at least one operator, not {part}")
    settings = settings or SearchSettings()
    found = schedule_for_peak(graph, settings)
    order = found.order if found.optimal else range(len(graph.operators))
    cuts = break_points(graph, order, part)
    parts = [order[start:end] for start, end in zip((0, *cuts), (*cuts, len(order)), strict=True)]
    first = len(graph.operators)
    cut = _with_barriers(graph, parts)
    schedule = _without_barriers(schedule_for_traffic(cut, capacity, settings), first)
    # A barrier costs nothing, so the bound of the cut graph is of no use for the whole one.
    bound = min(schedule.traffic, sum(_part_bound(graph, p, capacity, settings) for p in parts))
    stop = "optimal" if bound == schedule.traffic else "complete"
    return replace(schedule, bound=bound, stop=stop, parts=parts)


def order_for_peak_by_parts(
    graph: Graph, part: int = DEFAULT_PART, settings: SearchSettings | None = None
) -> list[int]:
    """Find an order of small peak with cuts about every ``part`` operators of the given order.

    Raises InvalidGraphError.
    """
    order = range(len(graph.operators))
    cuts = break_points(graph, order, part)
    parts = [order[start:end] for start, end in zip((0, *cuts), (*cuts, len(order)), strict=True)]
    schedule = schedule_for_peak(_with_barriers(graph, parts), settings)
    return [index for index in schedule.order if index < len(graph.operators)]


def _with_barriers(graph: Graph, parts: Sequence[Sequence[int]]) -> Graph:
    """Add operators that do nothing, between each part and the next."""
    first = len(graph.operators)
    barriers = [Operator(f"break {i}", (), ()) for i in range(len(parts) - 1)]
    edges = list(graph.edges)
    for i in range(len(barriers)):
        edges += [(before, first + i) for before in parts[i]]
        edges += [(first + i, after) for after in parts[i + 1]]
    return replace(graph, operators=[*graph.operators, *barriers], edges=edges)


def break_points(graph: Graph, order: Sequence[int], part: int) -> list[int]:
    """Return positions of ``order`` to cut before: fewest bytes live, within half a part each."""
    uses: dict[int, list[int]] = {}
    for position, index in enumerate(order):
        op = graph.operators[index]
        for tensor in {*op.inputs, *op.outputs}:
            uses.setdefault(tensor, []).append(position)
    change = [0] * (len(order) + 1)
    for tensor, positions in uses.items():
        change[positions[0] + 1] += graph.tensors[tensor].size
        change[positions[-1] + 1 if positions[-1] > positions[0] else positions[0] + 1] -= (
            graph.tensors[tensor].size
        )
    live = [0] * (len(order) + 1)
    for position in range(1, len(order) + 1):
        live[position] = live[position - 1] + change[position]
    cuts: list[int] = []
    at = 0
    while len(order) - at > part + part // 2:
        low, high = at + max(part // 2, 1), at + part + part // 2
        at = min(range(low, high + 1), key=lambda p: (live[p], abs(p - (low + high) // 2)))
        cuts.append(at)
    return cuts


def _part_bound(
    graph: Graph, operators: Sequence[int], capacity: int, settings: SearchSettings
) -> int:
    """Bound what any schedule of the whole graph moves of the tensors that one part makes.

    The part is scheduled alone. Tensors of other parts, and their evictions, cost nothing: each
    operator has its own copy of them, there just while it runs. So the bounds of parts add up.
    """
    inside = {tensor for index in operators for tensor in graph.operators[index].outputs}
    own = sorted(inside)
    position = {tensor: i for i, tensor in enumerate(own)}
    tensors = [graph.tensors[tensor] for tensor in own]
    listed: list[Operator] = []
    for index in sorted(operators):
        op = graph.operators[index]
        others = sum(graph.tensors[t].size for t in set(op.inputs) - inside)
        inputs = [position[t] for t in op.inputs if t in inside]
        if others:
            inputs.append(len(tensors))
            tensors.append(Tensor(f"others of {op.id}", others, "input"))
        listed.append(
            replace(op, inputs=tuple(inputs), outputs=tuple(position[t] for t in op.outputs))
        )
    return schedule_for_traffic(Graph(listed, tensors), capacity, settings).bound


def _without_barriers(schedule: Schedule, first: int) -> Schedule:
    kept = [i for i, index in enumerate(schedule.order) if index < first]
    position = {old: new for new, old in enumerate(kept)}
    position_after = [0] * (len(schedule.order) + 1)
    count = 0
    for i, index in enumerate(schedule.order):
        position_after[i] = count
        count += index < first
    position_after[len(schedule.order)] = count
    return replace(
        schedule,
        order=[schedule.order[i] for i in kept],
        stays=[
            stay._replace(start=position[stay.start], end=position_after[stay.end])
            for stay in schedule.stays
        ],
    )
