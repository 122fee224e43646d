"""Which memory each buffer goes to, where it has a list of them: the preferred one, or overflow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer
from xdsl_memplan.model.plan import Plan

COME_BACK = 32
"""How many of the buffers that had to go are tried again in the memory that they prefer."""

PlanMemory = Callable[[Memory, list[PlannedBuffer]], Plan]
"""Plans buffers for a memory; the plan may be above its capacity."""


def choose_memories(
    buffers: Sequence[PlannedBuffer], memories: Mapping[str, Memory], plan: PlanMemory
) -> list[PlannedBuffer]:
    """Return the buffers in their order, each with the memory that it goes to.

    Memory by memory, in the order of ``memories``, buffers that may go elsewhere leave for their
    next candidate until a plan fits the capacity: of those that live at the tick of most bytes, or
    that end above the capacity, the smallest that is enough, else the largest. Then what has left
    is tried again, largest first. A heuristic: at most two plans for each buffer that moves.
    """
    chosen = list(buffers)
    if not any(len(buffer.candidates) > 1 for buffer in chosen):
        return chosen
    for memory in memories.values():
        left = _make_it_fit(chosen, memory, plan)
        for index in sorted(left, key=lambda i: (-chosen[i].size, i))[:COME_BACK]:
            trial = [*chosen]
            trial[index] = replace(chosen[index], memory=memory)
            if _excess(memory, plan(memory, [b for b in trial if b.memory is memory])) <= 0:
                chosen = trial
    return chosen


def _make_it_fit(chosen: list[PlannedBuffer], memory: Memory, plan: PlanMemory) -> list[int]:
    """Move buffers out of ``memory`` until it fits or nothing may go; return what has moved."""
    left: list[int] = []
    while True:
        here = [i for i, buffer in enumerate(chosen) if buffer.memory is memory]
        result = plan(memory, [chosen[i] for i in here])
        if _excess(memory, result) <= 0:
            return left
        leaving = _next_to_leave([chosen[i] for i in here], memory, result)
        if leaving is None:
            return left
        index = here[leaving]
        following = _following(chosen[index])
        assert following is not None
        chosen[index] = replace(chosen[index], memory=following)
        left.append(index)


def _next_to_leave(here: list[PlannedBuffer], memory: Memory, plan: Plan) -> int | None:
    """Return the position of a buffer that may leave and is in the way; None if there is none."""
    assert memory.capacity is not None
    offsets = plan.offsets.tolist()
    high = [b for b, at in zip(here, offsets, strict=False) if at + b.size > memory.capacity]
    movable = [i for i, buffer in enumerate(here) if _following(buffer) is not None]
    # Those that end too high, and those that keep them there.
    near = [i for i in movable if any(here[i].lifetime.overlaps(b.lifetime) for b in high)]
    if not near:
        return movable[0] if movable and not high else None
    excess = _excess(memory, plan)
    enough = [i for i in near if here[i].size >= excess]
    if enough:
        return min(enough, key=lambda i: (here[i].size, i))
    return max(near, key=lambda i: (here[i].size, -i))


def _following(buffer: PlannedBuffer) -> Memory | None:
    """Return the candidate after the memory that a buffer is in."""
    position = next((i for i, m in enumerate(buffer.candidates) if m is buffer.memory), None)
    if position is None or position + 1 >= len(buffer.candidates):
        return None
    return buffer.candidates[position + 1]


def _excess(memory: Memory, plan: Plan) -> int:
    return -1 if memory.capacity is None else plan.peak - memory.capacity
