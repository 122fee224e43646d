"""The independent checker of schedules: shares no code with the searches or the core's checker.

It plays a schedule: operator by operator, moving tensors in and out of a memory that knows which
bytes hold which tensor.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule, Stay


class ScheduleError(ValueError):
    """A schedule breaks a rule; the message names the operator or tensor and the rule."""


@dataclass
class _Memory:
    """On-chip memory while a schedule is played."""

    graph: Graph
    on_chip: dict[int, Stay] = field(default_factory=dict[int, Stay])
    off_chip: set[int] = field(default_factory=set[int])
    seen: set[int] = field(default_factory=set[int])
    moved: int = 0
    peak: int = 0
    load: int = 0

    def enter(self, stay: Stay) -> None:
        tensor = self.graph.tensors[stay.tensor]
        if stay.tensor in self.on_chip:
            raise ScheduleError(f"tensor {tensor.id} is on chip twice at one time")
        if stay.offset < 0:
            raise ScheduleError(f"tensor {tensor.id} lies at {stay.offset}")
        for other in self.on_chip.values():
            size = self.graph.tensors[other.tensor].size
            low = max(stay.offset, other.offset)
            if low < min(stay.offset + tensor.size, other.offset + size):
                name = self.graph.tensors[other.tensor].id
                raise ScheduleError(f"tensors {name} and {tensor.id} share bytes")
        if stay.is_loaded:
            if stay.tensor not in self.off_chip:
                raise ScheduleError(f"tensor {tensor.id} is loaded but is not off chip")
            if stay.tensor in self.seen or not tensor.is_source:
                self.moved += tensor.size
        elif stay.tensor in self.seen or tensor.is_source:
            raise ScheduleError(f"tensor {tensor.id} comes on chip without being loaded")
        self.seen.add(stay.tensor)
        self.on_chip[stay.tensor] = stay
        if tensor.size:
            self.peak = max(self.peak, stay.offset + tensor.size)
        live = sum(self.graph.tensors[t].size for t in self.on_chip)
        self.load = max(self.load, live)

    def enter_inside(self, stay: Stay) -> None:
        """Let a tensor come back inside of another one, where it takes no room of its own."""
        if stay.tensor not in self.off_chip:
            name = self.graph.tensors[stay.tensor].id
            raise ScheduleError(f"tensor {name} is loaded but is not off chip")
        if stay.tensor in self.seen or not self.graph.tensors[stay.tensor].is_source:
            self.moved += self.graph.tensors[stay.tensor].size
        self.seen.add(stay.tensor)

    def leave(self, stay: Stay) -> None:
        del self.on_chip[stay.tensor]
        if stay.is_spilled:
            tensor = self.graph.tensors[stay.tensor]
            if tensor.kind != "output":
                self.moved += tensor.size
            self.off_chip.add(stay.tensor)


def check_schedule(graph: Graph, schedule: Schedule, capacity: int | None = None) -> None:
    """Play a schedule and compare what it claims with what happened.

    Checked: every operator runs once, after what it needs; all it reads and makes is on chip while
    it runs, but that results may take the place of what `Operator.overwrites` says and what leaves
    the chip there; what it reads has been made by then; no two tensors share bytes; all lie below
    ``capacity`` (bytes; None: no limit); outputs are off chip in the end; `peak`, `load` and
    `traffic` are as claimed, and not below the claimed bound.
    Complexity: O(stays · tensors on chip).

    Raises ScheduleError.
    """
    _check_order(graph, schedule.order)
    memory = _Memory(graph)
    memory.off_chip = {i for i, tensor in enumerate(graph.tensors) if tensor.is_source}
    starting: dict[int, list[Stay]] = defaultdict(list)
    ending: dict[int, list[Stay]] = defaultdict(list)
    for stay in schedule.stays:
        if not 0 <= stay.start < stay.end <= len(schedule.order):
            raise ScheduleError(f"a stay over [{stay.start}, {stay.end}) is out of range")
        starting[stay.start].append(stay)
        ending[stay.end].append(stay)
    for position, index in enumerate(schedule.order):
        operator = graph.operators[index]
        inside = {
            stay.tensor
            for stay in starting[position]
            if operator.reloads
            and stay.is_loaded
            and stay.end == position + 1
            and stay.tensor in operator.overwritten
        }
        for stay in (s for s in starting[position] if s.tensor in inside):
            memory.enter_inside(stay)
        # What may be written over something comes once all is there that is read.
        later: set[int] = set() if operator.reloads else operator.overwriting
        for stay in (s for s in starting[position] if s.tensor not in later | inside):
            if not stay.is_loaded and stay.tensor not in operator.outputs:
                name = graph.tensors[stay.tensor].id
                raise ScheduleError(f"operator {operator.id} does not make tensor {name}")
            memory.enter(stay)
        _check_here(memory, operator.id, {*operator.inputs, *operator.outputs} - later - inside)
        # What may be written over is gone by then, if it leaves here.
        gone: set[int] = set() if operator.reloads else operator.overwritten
        for stay in (s for s in ending[position + 1] if s.tensor in gone):
            memory.leave(stay)
        for stay in (s for s in starting[position] if s.tensor in later):
            memory.enter(stay)
        _check_here(memory, operator.id, later)
        for stay in (s for s in ending[position + 1] if s.tensor not in gone | inside):
            memory.leave(stay)
    for tensor in range(len(graph.tensors)):
        if graph.tensors[tensor].kind == "output" and tensor not in memory.off_chip:
            raise ScheduleError(f"output {graph.tensors[tensor].id} is never written")
    if capacity is not None and memory.peak > capacity:
        raise ScheduleError(f"addresses end at {memory.peak}, the capacity is {capacity}")
    claims = (schedule.peak, schedule.load, schedule.traffic)
    found = (memory.peak, memory.load, memory.moved)
    if claims != found:
        raise ScheduleError(f"peak, load and traffic are {found}, not {claims} as claimed")
    if schedule.value < schedule.bound:
        raise ScheduleError(f"the value {schedule.value} is below its bound {schedule.bound}")


def _check_here(memory: _Memory, operator: str, tensors: set[int]) -> None:
    for tensor in tensors:
        if tensor not in memory.on_chip:
            name = memory.graph.tensors[tensor].id
            raise ScheduleError(f"tensor {name} is not on chip while {operator} runs")


def _check_order(graph: Graph, order: Sequence[int]) -> None:
    if sorted(order) != list(range(len(graph.operators))):
        raise ScheduleError("the order is no permutation of the operators")
    position = {index: i for i, index in enumerate(order)}
    producer = {t: i for i, op in enumerate(graph.operators) for t in op.outputs}
    needs = [
        (producer[t], i) for i, op in enumerate(graph.operators) for t in op.inputs if t in producer
    ]
    for before, after in (*needs, *graph.edges):
        if position[before] > position[after]:
            first, then = graph.operators[before].id, graph.operators[after].id
            raise ScheduleError(f"operator {then} runs before {first}")
