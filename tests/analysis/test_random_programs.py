"""Random programs with nested regions: lifetimes and plans against an interpreter that executes
them.

The interpreter runs a program for real, with each combination of decisions: which arm of an
`scf.if`, how often a loop iterates. Every execution of an allocation gives memory of its own,
which is needed from its first to its last access in the trace. The lifetime of the allocation must
be the hull of the ticks passed meanwhile, over all runs; and no two pieces of memory that are
needed at one step may share bytes after planning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, lifetimes_of
from xdsl_memplan.dialects.memplan import Memplan
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

MEMREF = "memref<4xf32>"
MAX_CONTROL = 4
TRIPS = (0, 1, 5)


@dataclass
class Writer:
    """Writes a random program, statement by statement."""

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list)
    names: int = 0
    control: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def body(self, depth: int, scope: list[str]) -> None:
        for _ in range(self.draw(st.integers(1, 5))):
            kinds = ["alloc", "copy", "copy", "copy", "view", "select"]
            if self.control < MAX_CONTROL and depth < 4:
                kinds += ["for", "if", "while"]
            getattr(self, f"write_{self.draw(st.sampled_from(kinds))}")(depth, scope)

    def pick(self, scope: list[str]) -> str:
        return self.draw(st.sampled_from(scope))

    def write_alloc(self, depth: int, scope: list[str]) -> None:
        scope.append(self.name())
        self.emit(depth, f"{scope[-1]} = memref.alloc() : {MEMREF}")

    def write_copy(self, depth: int, scope: list[str]) -> None:
        operands = f"{self.pick(scope)}, {self.pick(scope)}"
        self.emit(depth, f'"memref.copy"({operands}) : ({MEMREF}, {MEMREF}) -> ()')

    def write_view(self, depth: int, scope: list[str]) -> None:
        view = self.name()
        self.emit(depth, f"{view} = memref.assume_alignment {self.pick(scope)}, 4 : {MEMREF}")
        scope.append(view)

    def write_select(self, depth: int, scope: list[str]) -> None:
        if self.control >= MAX_CONTROL:
            return
        self.control += 1
        result = self.name()
        a, b = self.pick(scope), self.pick(scope)
        self.emit(depth, f"{result} = arith.select %flag, {a}, {b} : {MEMREF}")
        scope.append(result)

    def write_if(self, depth: int, scope: list[str]) -> None:
        self.control += 1
        with_result = self.draw(st.booleans())
        result = self.name() if with_result else None
        head = f"{result} = scf.if %flag -> ({MEMREF}) {{" if result else "scf.if %flag {"
        self.emit(depth, head)
        for arm in range(2):
            inner = list(scope)
            self.body(depth + 1, inner)
            value = f" {self.pick(inner)} : {MEMREF}" if result else ""
            self.emit(depth + 1, f"scf.yield{value}")
            self.emit(depth, "} else {" if arm == 0 else "}")
        if result:
            scope.append(result)

    def write_for(self, depth: int, scope: list[str]) -> None:
        self.control += 1
        count = self.draw(st.integers(0, 2))
        results, arguments = (
            [self.name() for _ in range(count)],
            [self.name() for _ in range(count)],
        )
        inner = scope + arguments
        index = self.name()
        carried = ", ".join(f"{a} = {self.pick(scope)}" for a in arguments)
        types = ", ".join([MEMREF] * count)
        head = f"scf.for {index} = %c0 to %n step %c1"
        if count:
            head = f"{', '.join(results)} = {head} iter_args({carried}) -> ({types})"
        self.emit(depth, head + " {")
        self.body(depth + 1, inner)
        yields = ", ".join(self.pick(inner) for _ in range(count))
        self.emit(depth + 1, f"scf.yield {yields} : {types}" if count else "scf.yield")
        self.emit(depth, "}")
        scope.extend(results)

    def write_while(self, depth: int, scope: list[str]) -> None:
        self.control += 1
        result, before, after = self.name(), self.name(), self.name()
        self.emit(
            depth,
            f"{result} = scf.while ({before} = {self.pick(scope)}) : ({MEMREF}) -> {MEMREF} {{",
        )
        inner = [*scope, before]
        self.body(depth + 1, inner)
        self.emit(depth + 1, f"scf.condition(%flag) {self.pick(inner)} : {MEMREF}")
        self.emit(depth, "} do {")
        self.emit(depth, f"^bb0({after}: {MEMREF}):")
        inner = [*scope, after]
        self.body(depth + 1, inner)
        self.emit(depth + 1, f"scf.yield {self.pick(inner)} : {MEMREF}")
        self.emit(depth, "}")
        scope.append(result)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a module with one function."""
    writer = Writer(draw)
    scope = ["%x"]
    writer.write_alloc(1, scope)
    writer.write_alloc(1, scope)
    writer.body(1, scope)
    returned = writer.pick(scope)
    body = "\n".join(writer.lines)
    return (
        f"func.func @main(%x: {MEMREF}, %flag: i1, %n: index) -> {MEMREF} {{\n"
        f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        f"{body}\n  func.return {returned} : {MEMREF}\n}}\n"
    )


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (arith.Arith, builtin.Builtin, func.Func, memref.MemRef, scf.Scf, Memplan):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


@dataclass(eq=False)
class Piece:
    """Memory made by one execution of an allocation; positions in the trace, both inclusive."""

    op: Operation | None
    first: int | None = None
    last: int = -1


class Run:
    """One execution: `decisions` says for each control operation which arm, how many iterations."""

    def __init__(self, function: func.FuncOp, decisions: dict[Operation, int]) -> None:
        self.decisions = decisions
        self.visits: dict[Operation, int] = {}
        self.trace: list[int] = []
        self.pieces: list[Piece] = []
        copies = [op for op in function.walk() if isinstance(op, memref.CopyOp)]
        self.ticks = {op: tick for tick, op in enumerate(copies)}
        self.values: dict[SSAValue, Piece] = {function.args[0]: Piece(None)}
        [returned] = self.block(function.body.block)
        if returned.first is not None:
            returned.last = len(self.trace) - 1

    def block(self, block: Block) -> list[Piece]:
        for op in block.ops:
            match op:
                case memref.AllocOp():
                    self.values[op.memref] = Piece(op)
                    self.pieces.append(self.values[op.memref])
                case memref.CopyOp():
                    for operand in op.operands:
                        piece = self.values[operand]
                        piece.first = len(self.trace) if piece.first is None else piece.first
                        piece.last = len(self.trace)
                    self.trace.append(self.ticks[op])
                case memref.AssumeAlignmentOp():
                    self.values[op.result] = self.values[op.memref]
                case arith.SelectOp():
                    self.values[op.result] = self.values[op.operands[2 - self.arm(op)]]
                case scf.IfOp():
                    yielded = self.block(op.regions[1 - self.arm(op)].block)
                    self.values.update(zip(op.results, yielded, strict=True))
                case scf.ForOp():
                    state = [self.values[v] for v in op.iter_args]
                    for _ in range(TRIPS[self.decisions[op]]):
                        self.values.update(zip(op.body.block.args[1:], state, strict=True))
                        state = self.block(op.body.block)
                    self.values.update(zip(op.results, state, strict=True))
                case scf.WhileOp():
                    self.run_while(op)
                case scf.YieldOp() | scf.ConditionOp() | func.ReturnOp():
                    return [self.values[v] for v in op.operands if v in self.values]
                case _:
                    pass
        raise AssertionError("block without terminator")

    def arm(self, op: Operation) -> int:
        """The first arm, the second, or one after the other."""
        self.visits[op] = self.visits.get(op, 0) + 1
        return (0, 1, self.visits[op] % 2)[self.decisions[op]]

    def run_while(self, op: scf.WhileOp) -> None:
        state = [self.values[v] for v in op.arguments]
        for trip in range(TRIPS[self.decisions[op]] + 1):
            self.values.update(zip(op.before_region.block.args, state, strict=True))
            forwarded = self.block(op.before_region.block)
            if trip == TRIPS[self.decisions[op]]:
                break
            self.values.update(zip(op.after_region.block.args, forwarded, strict=True))
            state = self.block(op.after_region.block)
        self.values.update(zip(op.results, forwarded, strict=True))


def runs(function: func.FuncOp) -> Iterator[Run]:
    """Execute a function with all combinations of decisions."""
    control = (scf.IfOp, scf.ForOp, scf.WhileOp, arith.SelectOp)
    deciding = [op for op in function.walk() if isinstance(op, control)]
    for choices in product(range(3), repeat=len(deciding)):
        yield Run(function, dict(zip(deciding, choices, strict=True)))


def handed_to_loops(function: func.FuncOp, lifetimes: FunctionLifetimes) -> set[SSAValue]:
    """Allocations a loop starts from or hands on: taken to be needed in all of the loop."""
    return {
        root
        for op in function.walk()
        if isinstance(op, scf.ForOp | scf.WhileOp | scf.YieldOp)
        for value in op.operands
        for root in lifetimes.aliases.roots(value)
    }


SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@SETTINGS
@given(programs())
def test_lifetimes_are_those_of_the_executions(text: str):
    module = parse(text)
    [(function, lifetimes)] = lifetimes_of(module).items()
    seen: dict[Operation, tuple[int, int]] = {}
    for run in runs(function):
        for piece in run.pieces:
            if piece.op is None or piece.first is None:
                continue
            passed = run.trace[piece.first : piece.last + 1]
            low, high = seen.get(piece.op, (min(passed), max(passed)))
            seen[piece.op] = (min(low, *passed), max(high, *passed))
    kept = handed_to_loops(function, lifetimes)
    for op, (low, high) in seen.items():
        start, end = lifetimes.lifetime(op.results[0])
        assert start <= low, text
        assert high < end, text
        if op.results[0] not in kept:
            assert (start, end) == (low, high + 1), f"{op.results[0].name_hint} in\n{text}"


def assign(module: ModuleOp) -> bool:
    """Plan, unless one address per allocation would not do."""
    try:
        MemplanAssignOffsetsPass(memory="m:align=1").apply(Context(), module)
    except PassFailedException as error:
        if "next iteration" not in str(error):
            raise
        return False
    return True


def overlapping(run: Run) -> tuple[Operation, Operation] | None:
    """Find two pieces of memory that are needed at one step and share bytes."""
    live = [p for p in run.pieces if p.first is not None and p.op is not None]
    for a, b in combinations(live, 2):
        if max(a.first, b.first) <= min(a.last, b.last):
            x, y = (p.op.attributes["memplan.offset"].value.data for p in (a, b))
            if abs(x - y) < 16:
                return a.op, b.op
    return None


@SETTINGS
@given(programs(), st.data())
def test_plans_hold_in_every_execution_and_spoiled_ones_are_refused(text: str, data: st.DataObject):
    module = parse(text)
    if not assign(module):
        return
    module.verify()
    MemplanVerifyPass().apply(Context(), module)
    function = next(op for op in module.body.ops if isinstance(op, func.FuncOp))
    for run in runs(function):
        assert overlapping(run) is None, text

    allocations = [op for op in function.walk() if isinstance(op, memref.AllocOp)]
    moved, target = (data.draw(st.sampled_from(allocations)) for _ in range(2))
    moved.attributes["memplan.offset"] = IntegerAttr(
        target.attributes["memplan.offset"].value.data, i64
    )
    if any(overlapping(run) for run in runs(function)):
        with pytest.raises(PassFailedException, match="share bytes"):
            MemplanVerifyPass().apply(Context(), module)
