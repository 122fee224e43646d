"""COSMA's integer linear program in OR-tools CP-SAT: for tests, and for small graphs.

Time is a row of steps, one operator each. For each tensor and step the program says whether the
tensor is made (C), kept from the step before (P), written off chip (S), read back (R), and whether
a copy is off chip (H): equations 1 to 12 of COSMA (arXiv 2311.18246, III). Addresses are rectangles
that must not overlap; a tensor keeps its address while it is kept, and may come back elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule, Stay
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.graph_arrays import check_graph


@dataclass(frozen=True)
class OracleSettings:
    """What the solver may do."""

    time_limit_seconds: float = 60.0
    addresses: bool = True
    """Without, only the capacity counts: a bound, and no schedule."""
    order: Sequence[int] | None = None
    """Keep this order."""
    at_least: int = 0
    """Bytes that are known to move in any case."""
    at_most: int | None = None
    """Bytes that are known to do."""
    seed: int = 0


@dataclass(frozen=True)
class OracleAnswer:
    """The solver's value and bound in bytes, and its schedule if it has one with addresses."""

    traffic: int | None
    bound: int
    schedule: Schedule | None

    @property
    def optimal(self) -> bool:
        """Whether the value is proved."""
        return self.traffic == self.bound


def solve_exactly(
    graph: Graph, capacity: int, settings: OracleSettings | None = None
) -> OracleAnswer:
    """Solve COSMA's program for a capacity in bytes.

    O(tensors · operators) variables: small graphs only. One worker, so runs repeat.

    Raises InvalidGraphError if the graph cannot be planned, or an operator does not fit.
    """
    check_graph(graph)
    if graph.largest_footprint > capacity:
        raise InvalidGraphError(
            f"the largest operator needs {graph.largest_footprint} bytes of {capacity}"
        )
    if not graph.operators:
        empty = Schedule("traffic", [], [], 0, 0, 0, 0, "optimal", {})
        return OracleAnswer(0, 0, empty)
    return _Program(graph, capacity, settings or OracleSettings()).solve()


class _Program:
    """The variables by the names of the paper, indexed by tensor and step."""

    def __init__(self, graph: Graph, capacity: int, settings: OracleSettings) -> None:
        self.graph = graph
        self.capacity = capacity
        self.settings = settings
        self.model = cp_model.CpModel()
        self.steps = range(len(graph.operators))
        self.producer = {t: i for i, op in enumerate(graph.operators) for t in op.outputs}
        self.consumers: dict[int, list[int]] = {t: [] for t in range(len(graph.tensors))}
        for i, op in enumerate(graph.operators):
            for tensor in set(op.inputs):
                self.consumers[tensor].append(i)
        self._order()
        self._residency()
        self._capacity()
        if settings.addresses:
            self._addresses()
        self._objective()

    def _bool(self, name: str) -> cp_model.IntVar:
        return self.model.new_bool_var(name)

    def _order(self) -> None:
        """Each operator runs at one step, each step runs one operator, producers first."""
        model, n = self.model, len(self.steps)
        self.runs = [[self._bool(f"x{i}@{s}") for s in self.steps] for i in range(n)]
        for i in range(n):
            model.add_exactly_one(self.runs[i])
            model.add_exactly_one(self.runs[j][i] for j in range(n))
        at = [sum(s * self.runs[i][s] for s in self.steps) for i in range(n)]
        for i, op in enumerate(self.graph.operators):
            needed = {self.producer[t] for t in op.inputs if t in self.producer}
            for before in needed:
                model.add(at[before] + 1 <= at[i])
        for before, after in self.graph.edges:
            model.add(at[before] + 1 <= at[after])
        for step, index in enumerate(self.settings.order or ()):
            model.add(self.runs[index][step] == 1)

    def _residency(self) -> None:
        """C, P, R, S and H: what is on chip, where it came from, and what is off chip."""
        model = self.model
        tensors = range(len(self.graph.tensors))
        self.kept = [[self._bool(f"P{e}@{s}") for s in self.steps] for e in tensors]
        self.read = [[self._bool(f"R{e}@{s}") for s in self.steps] for e in tensors]
        self.written = [[self._bool(f"S{e}@{s}") for s in self.steps] for e in tensors]
        self.first_read = [self._bool(f"F{e}") for e in tensors]
        for e, tensor in enumerate(self.graph.tensors):
            is_there_anyway = tensor.is_source or tensor.kind == "output"
            for s in self.steps:
                model.add_at_most_one(self._here(e, s))
                if s == 0:
                    model.add(self.kept[e][s] == 0)
                else:
                    model.add(self.kept[e][s] <= sum(self._here(e, s - 1)))
                # What is read back was written before, and is written from the chip.
                model.add(self.written[e][s] <= sum(self._here(e, s)))
                if is_there_anyway:
                    model.add(self.written[e][s] == 0)
                    made_before = sum(v for before in range(s) for v in self._made(e, before))
                    if not tensor.is_source:
                        model.add(self.read[e][s] <= made_before)
                else:
                    model.add(self.read[e][s] <= sum(self.written[e][:s]))
                for i in self.consumers[e]:
                    model.add(self.runs[i][s] <= sum(self._here(e, s)))
            model.add(sum(self.read[e]) >= self.first_read[e])

    def _made(self, tensor: int, step: int) -> list[cp_model.IntVar]:
        maker = self.producer.get(tensor)
        return [] if maker is None else [self.runs[maker][step]]

    def _here(self, tensor: int, step: int) -> list[cp_model.IntVar]:
        """List the variables of which one is true if the tensor is on chip."""
        return [*self._made(tensor, step), self.kept[tensor][step], self.read[tensor][step]]

    def _capacity(self) -> None:
        for s in self.steps:
            tensors = enumerate(self.graph.tensors)
            held = sum(t.size * v for e, t in tensors for v in self._here(e, s))
            self.model.add(held <= self.capacity)

    def _addresses(self) -> None:
        """One rectangle per tensor and step; equal addresses while a tensor is kept."""
        model = self.model
        self.offset: dict[tuple[int, int], cp_model.IntVar] = {}
        for s in self.steps:
            rectangles: list[cp_model.IntervalVar] = []
            for e, tensor in enumerate(self.graph.tensors):
                if not tensor.size:
                    continue
                here = self._bool(f"here{e}@{s}")
                model.add(here == sum(self._here(e, s)))
                room = self.capacity - tensor.size
                offset = model.new_int_var(0, max(room, 0), f"A{e}@{s}")
                self.offset[e, s] = offset
                rectangles.append(
                    model.new_optional_fixed_size_interval_var(
                        offset, tensor.size, here, f"r{e}@{s}"
                    )
                )
                if s:
                    before, leaves = self.offset[e, s - 1], 1 - self.kept[e][s]
                    model.add(offset - before <= self.capacity * leaves)
                    model.add(before - offset <= self.capacity * leaves)
            model.add_no_overlap(rectangles)

    def _objective(self) -> None:
        moved: list[cp_model.LinearExprT] = []
        for e, tensor in enumerate(self.graph.tensors):
            moved += [tensor.size * v for v in (*self.read[e], *self.written[e])]
            # The first read of an input is compulsory.
            moved.append(-tensor.size * self.first_read[e] if tensor.is_source else 0)
        total = sum(moved)
        self.model.add(total >= self.settings.at_least)
        if self.settings.at_most is not None:
            self.model.add(total <= self.settings.at_most)
        self.model.minimize(total)

    def solve(self) -> OracleAnswer:
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = self.settings.time_limit_seconds
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self.settings.seed
        # Otherwise CP-SAT puts the system's handler of Ctrl-C in place of Python's, for good.
        solver.parameters.catch_sigint_signal = False
        status = solver.solve(self.model)
        bound = max(self.settings.at_least, round(solver.best_objective_bound))
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return OracleAnswer(None, bound, None)
        traffic = round(solver.objective_value)
        schedule = self._schedule(solver, traffic, bound) if self.settings.addresses else None
        return OracleAnswer(traffic, bound, schedule)

    def _schedule(self, solver: cp_model.CpSolver, traffic: int, bound: int) -> Schedule:
        order = [next(i for i in self.steps if solver.value(self.runs[i][s])) for s in self.steps]
        stays: list[Stay] = []
        for e, tensor in enumerate(self.graph.tensors):
            start: int | None = None
            is_spilled = False
            for s in (*self.steps, len(order)):
                stays_on = s < len(order) and solver.value(self.kept[e][s])
                if start is not None and not stays_on:
                    is_made = self.producer.get(e) == order[start]
                    offset = solver.value(self.offset[e, start]) if tensor.size else 0
                    is_output = tensor.kind == "output" and is_made
                    stays.append(Stay(e, start, s, offset, not is_made, is_spilled or is_output))
                    start, is_spilled = None, False
                if s < len(order) and not stays_on and any(map(solver.value, self._here(e, s))):
                    start = s
                if s < len(order) and solver.value(self.written[e][s]):
                    is_spilled = True
        stays.sort(key=lambda stay: (stay.start, stay.tensor))
        sizes = [tensor.size for tensor in self.graph.tensors]
        live = [sum(sizes[t.tensor] for t in stays if t.start <= s < t.end) for s in self.steps]
        peak = max((t.offset + sizes[t.tensor] for t in stays if sizes[t.tensor]), default=0)
        stop = "optimal" if traffic == bound else "time-limit"
        load = max(live, default=0)
        return Schedule("traffic", order, stays, load, peak, traffic, bound, stop, {})
