"""What `memplan-pipeline` tells people: seconds and IR of each pass, a summary per function."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TextIO

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from xdsl_memplan.analysis.memories import arena_ops
from xdsl_memplan.dialects.memplan import ARENA, PLAN, BufferOp, PlanAttr
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, LOOKUPS, TOTAL, TRAFFIC
from xdsl_memplan.dialects.queries import storage_of


@dataclass
class PipelineReport:
    """Collects while the pipeline runs; writes to standard error, as standard output has the IR."""

    print_ir: bool
    timing: bool
    summary: bool
    seconds: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    lines: list[str] = field(default_factory=list[str])
    _started: float = field(default_factory=perf_counter)

    def start(self) -> None:
        """A pass begins."""
        self._started = perf_counter()

    def finish(self, name: str, module: ModuleOp) -> None:
        """The pass ``name`` has ended."""
        self.seconds.append((name, perf_counter() - self._started))
        if self.timing:
            _write(f"Pass {name} took {self.seconds[-1][1]:.6f} seconds\n")
        if self.print_ir:
            _write(f"IR after {name}:\n")
            Printer(stream=_stream()).print_op(module)
            _write("\n\n")

    def note_plan(self, module: ModuleOp) -> None:
        """Remember what the summary says, while the plan is in the IR."""
        if self.summary:
            self.lines = summary_lines(module)

    def end(self) -> None:
        """Write the summary."""
        if self.summary:
            timed = ", ".join(f"{name} {seconds:.3f}" for name, seconds in self.seconds)
            _write("\n".join([*self.lines, f"seconds: {timed}", ""]))


def summary_lines(module: ModuleOp) -> list[str]:
    """Describe arenas and functions with a plan; sizes in bytes."""
    lines = [
        f"@{name}: {arena.size.value.data} bytes"
        + (f" of {arena.capacity.value.data}" if arena.capacity is not None else "")
        for name, arena in arena_ops(module).items()
        if arena.size is not None
    ]
    for function in module.body.ops:
        if isinstance(function, FuncOp) and (attribute := function.attributes.get(PLAN)):
            buffers = Counter(map(_arena_name, function.walk()))
            for memory, plan in _plans(attribute):
                count = buffers[memory] if memory else buffers.total() - buffers[None]
                lines.append(_function_line(function, memory, count, plan))
            lines += _traffic_line(function)
    return lines or ["no buffers"]


def _plans(attribute: object) -> Sequence[tuple[str | None, PlanAttr]]:
    if isinstance(attribute, PlanAttr):
        return [(None, attribute)]
    if isinstance(attribute, DictionaryAttr):
        return [(n, p) for n, p in attribute.data.items() if isinstance(p, PlanAttr)]
    return []


def _arena_name(op: Operation) -> str | None:
    """Return the arena of an operation that makes storage, None for any other."""
    if storage_of(op) is None:
        return None
    symbol = op.arena if isinstance(op, BufferOp) else op.attributes.get(ARENA)
    return symbol.string_value() if isinstance(symbol, SymbolRefAttr) else None


def _function_line(function: FuncOp, memory: str | None, buffers: int, plan: PlanAttr) -> str:
    peak, load, bound = plan.peak.value.data, plan.load.value.data, plan.bound.value.data
    fragmentation = f"{peak / load - 1:.2%}" if load else "0.00%"
    where = f" in {memory}" if memory else ""
    proof = "optimal" if peak == bound else "not proved optimal"
    return (
        f"@{function.sym_name.data}{where}: {peak} bytes for {buffers} buffers, load {load}, "
        f"bound {bound} ({proof}), fragmentation {fragmentation}, planner {plan.planner.data}"
    )


def _traffic_line(function: FuncOp) -> Sequence[str]:
    """Say what moves off chip and back, if anything had to be decided about it."""
    attribute = function.attributes.get(TRAFFIC)
    if not isinstance(attribute, DictionaryAttr):
        return []
    lines: list[str] = []
    # Spills are proved for the operations there are: in tiles less may have to move.
    for kind, limits, what, of in (
        ("bytes", ("bound",), "move off chip and back", " for these operations"),
        (TOTAL, (CAPACITY_FLOOR, FLOOR), "move between the memories in all", ""),
    ):
        moved = _number(attribute, kind)
        if moved is None:
            continue
        limit = next((name for name in limits if _number(attribute, name) is not None), "")
        bound = _number(attribute, limit)
        with_so_much_room = " with so much room" if limit == CAPACITY_FLOOR else ""
        proof = "optimal" if moved == bound else f"at least {bound} must{with_so_much_room}"
        proved = "" if bound is None else f" ({proof}{of})"
        looked_up = _number(attribute, LOOKUPS) if kind == TOTAL else None
        what += "" if looked_up is None else f", {looked_up} of them looked up off chip"
        lines.append(f"@{function.sym_name.data}: {moved} bytes {what}{proved}")
    return lines


def _number(attribute: DictionaryAttr, name: str) -> int | None:
    value = attribute.data.get(name)
    return value.value.data if isinstance(value, IntegerAttr) else None


def _stream() -> TextIO:
    return sys.stderr


def _write(text: str) -> None:
    _stream().write(text)
