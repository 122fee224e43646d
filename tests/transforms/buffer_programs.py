"""Random programs on buffers, and a machine that runs them with the offsets of a plan.

The machine shares nothing with the passes or with memplan-verify: it takes branches, counts
iterations, and notes for every byte whose contents were touched last. A buffer that finds bytes of
somebody else between two of its own uses has lost them.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf, test
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.hints import isa

ANY = "memref<?xi8>"
SPACES = ("", ', "L1"', ', "L2"')


@dataclass
class Values:
    """Names in scope: memrefs, and numbers that may be addresses."""

    memrefs: list[str] = field(default_factory=list[str])
    numbers: list[str] = field(default_factory=list[str])

    def copy(self) -> "Values":
        return Values([*self.memrefs], [*self.numbers])


class Generator:
    """Writes a module: functions that call earlier ones, with loops, branches, views and wishes."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.functions: list[tuple[str, int, int]] = []
        """Name, memref arguments, memref results."""
        self.wishes = self.rng.random() < 0.5

    def module(self) -> str:
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.function()
        return "\n".join(self.lines)

    def function(self) -> None:
        name = f"f{len(self.functions)}"
        arguments, results = self.rng.randint(0, 2), self.rng.choice([0, 0, 1, 2])
        values = Values([f"%{name}_{i}" for i in range(arguments)], [])
        listed = ", ".join(["%c: i1", "%n: index", *(f"{v}: {ANY}" for v in values.memrefs)])
        of = f" -> ({', '.join([ANY] * results)})" if results else ""
        self.lines.append(f"func.func @{name}({listed}){of} {{")
        self.lines.append("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
        self.body(values, self.rng.randint(3, 14), 0)
        while len(values.memrefs) < results:
            self.allocate(values, 0)
        returned = self.rng.sample(values.memrefs, results)
        types = f" {', '.join(returned)} : {', '.join([ANY] * results)}" if results else ""
        self.lines.append(f"  func.return{types}\n}}")
        self.functions.append((name, arguments, results))

    def body(self, values: Values, length: int, depth: int) -> None:
        for _ in range(length):
            choices = [self.allocate] * 3 + [self.touch] * 4 + [self.copy, self.view, self.number]
            choices += [self.select, self.opaque, self.region, self.call]
            if depth < 2:
                choices += [self.branch, self.loop, self.loop, self.repeat]
            self.rng.choice(choices)(values, depth)

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def allocate(self, values: Values, depth: int) -> None:
        size = self.rng.choice([1, 8, 24, 64, 100])
        space = self.rng.choice(SPACES)
        wishes: list[str] = []
        if self.rng.random() < 0.3:
            wishes.append(f"alignment = {self.rng.choice([1, 4, 32, 128])} : i64")
        if self.wishes and self.rng.random() < 0.5:
            wish = self.rng.choice(["fixed", "range", "candidates", "copies", "copies"])
            if wish == "fixed":
                wishes.append(f"memplan.fixed_offset = {self.rng.choice([0, 192, 576])} : i64")
            elif wish == "range":
                low = self.rng.choice([0, 100, 512])
                wishes.append(f"memplan.offset_range = array<i64: {low}, {low + 256}>")
            elif wish == "candidates":
                space = ""
                names = self.rng.choice(['"L1", "L2"', '"L2", "L1"', '"L1"'])
                wishes.append(f"memplan.candidates = [{names}]")
            else:
                wishes.append(f"memplan.copies = {self.rng.choice([2, 3])} : i64")
        made, cast = self.name(), self.name()
        attributes = f" {{{', '.join(wishes)}}}" if wishes else ""
        type_ = f"memref<{size}xi8{space}>"
        self.emit(f"{made} = memref.alloc(){attributes} : {type_}")
        self.emit(f"{cast} = builtin.unrealized_conversion_cast {made} : {type_} to {ANY}")
        values.memrefs.append(cast)

    def some(self, values: Values, count: int) -> list[str]:
        recent = values.memrefs[-4:] if self.rng.random() < 0.5 else values.memrefs
        return [self.rng.choice(recent) for _ in range(count)] if recent else []

    def touch(self, values: Values, depth: int) -> None:
        used = self.some(values, self.rng.randint(1, 3))
        numbers = self.rng.sample(values.numbers, min(len(values.numbers), self.rng.randint(0, 1)))
        mark = ""
        if self.wishes and len(set(used)) > 1 and self.rng.random() < 0.3:
            mark = " {memplan.different_banks = array<i64: 0, 1>}"
            used = list(dict.fromkeys(used))
        types = [ANY] * len(used) + ["index"] * len(numbers)
        self.emit(f'"test.op"({", ".join([*used, *numbers])}){mark} : ({", ".join(types)}) -> ()')

    def copy(self, values: Values, depth: int) -> None:
        if used := self.some(values, 2):
            self.emit(f'"memref.copy"({used[0]}, {used[1]}) : ({ANY}, {ANY}) -> ()')

    def view(self, values: Values, depth: int) -> None:
        for of in self.some(values, 1):
            view, cast = self.name(), self.name()
            type_ = "memref<1xi8, strided<[1]>>"
            self.emit(f"{view} = memref.subview {of}[0] [1] [1] : {ANY} to {type_}")
            self.emit(f"{cast} = builtin.unrealized_conversion_cast {view} : {type_} to {ANY}")
            values.memrefs.append(cast)

    def number(self, values: Values, depth: int) -> None:
        if values.numbers and self.rng.random() < 0.3:
            back = self.name()
            of = self.rng.choice(values.numbers)
            self.emit(f"{back} = builtin.unrealized_conversion_cast {of} : index to {ANY}")
            values.memrefs.append(back)
            return
        for of in self.some(values, 1):
            number, moved = self.name(), self.name()
            self.emit(f"{number} = builtin.unrealized_conversion_cast {of} : {ANY} to index")
            self.emit(f"{moved} = arith.addi {number}, %c1 : index")
            values.numbers.append(moved)

    def select(self, values: Values, depth: int) -> None:
        if used := self.some(values, 2):
            result = self.name()
            self.emit(f"{result} = arith.select %c, {used[0]}, {used[1]} : {ANY}")
            values.memrefs.append(result)

    def opaque(self, values: Values, depth: int) -> None:
        """An operation that nobody has described gives back what it was given, perhaps."""
        if used := self.some(values, 2):
            result, number = self.name(), self.name()
            types = f"({ANY}, {ANY}) -> ({ANY}, index)"
            self.emit(f'{result}, {number} = "test.op"({", ".join(used)}) : {types}')
            values.memrefs.append(result)
            values.numbers.append(number)

    def region(self, values: Values, depth: int) -> None:
        if used := self.some(values, 2):
            self.emit(f'"test.op"({used[0]}) ({{')
            inner = values.copy()
            if self.rng.random() < 0.3:
                self.allocate(inner, depth)
            self.touch(inner, depth)
            self.emit('"test.termop"() : () -> ()')
            self.emit(f"}}) : ({ANY}) -> ()")

    def call(self, values: Values, depth: int) -> None:
        if not self.functions:
            return
        name, arguments, results = self.rng.choice(self.functions)
        used = self.some(values, arguments)
        if len(used) < arguments:
            return
        made = [self.name() for _ in range(results)]
        equals = f"{', '.join(made)} = " if made else ""
        of = f"({', '.join([ANY] * results)})"
        types = f"({', '.join(['i1', 'index', *[ANY] * arguments])}) -> {of}"
        self.emit(f"{equals}func.call @{name}({', '.join(['%c', '%n', *used])}) : {types}")
        values.memrefs += made

    def branch(self, values: Values, depth: int) -> None:
        count = self.rng.randint(0, 2) if values.memrefs else 0
        made = [self.name() for _ in range(count)]
        equals = f"{', '.join(made)} = " if made else ""
        of = f" -> ({', '.join([ANY] * count)})" if made else ""
        self.emit(f"{equals}scf.if %c{of} {{")
        for separator in ("} else {", "}"):
            inner = values.copy()
            self.body(inner, self.rng.randint(0, 4), depth + 1)
            if made:
                handed = [self.rng.choice(inner.memrefs) for _ in made]
                self.emit(f"scf.yield {', '.join(handed)} : {', '.join([ANY] * count)}")
            self.emit(separator)
        values.memrefs += made

    def loop(self, values: Values, depth: int) -> None:
        self.iterate(values, depth, "scf.for %i{d} = %c0 to %n step %c1{carried} {{")

    def repeat(self, values: Values, depth: int) -> None:
        """`scf.while` with the memrefs it carries."""
        count = self.rng.randint(1, 2)
        if not values.memrefs:
            return
        first = [self.rng.choice(values.memrefs) for _ in range(count)]
        made = [self.name() for _ in range(count)]
        before = [self.name() for _ in range(count)]
        after = [self.name() for _ in range(count)]
        types = ", ".join([ANY] * count)
        given = ", ".join(f"{a} = {b}" for a, b in zip(before, first, strict=True))
        of = f"({types}) -> ({types})" if count > 1 else f"({types}) -> {types}"
        self.emit(f"{', '.join(made)} = scf.while ({given}) : {of} {{")
        inner = values.copy()
        inner.memrefs += before
        self.body(inner, self.rng.randint(0, 2), depth + 1)
        handed = [self.rng.choice(inner.memrefs[-3:]) for _ in made]
        self.emit(f"scf.condition(%c) {', '.join(handed)} : {types}")
        arguments = ", ".join(f"{a}: {ANY}" for a in after)
        self.emit(f"}} do {{\n  ^bb0({arguments}):")
        inner = values.copy()
        inner.memrefs += after
        self.body(inner, self.rng.randint(1, 3), depth + 1)
        handed = [self.rng.choice(inner.memrefs[-3:]) for _ in made]
        self.emit(f"scf.yield {', '.join(handed)} : {types}\n  }}")
        values.memrefs += made

    def iterate(self, values: Values, depth: int, head: str) -> None:
        count = self.rng.randint(0, 2) if values.memrefs else 0
        made = [self.name() for _ in range(count)]
        arguments = [self.name() for _ in range(count)]
        carried = ""
        if made:
            first = [self.rng.choice(values.memrefs) for _ in made]
            given = ", ".join(f"{a} = {b}" for a, b in zip(arguments, first, strict=True))
            carried = f" iter_args({given}) -> ({', '.join([ANY] * count)})"
        equals = f"{', '.join(made)} = " if made else ""
        self.count += 1
        self.emit(equals + head.format(d=self.count, carried=carried))
        inner = values.copy()
        inner.memrefs += arguments
        self.body(inner, self.rng.randint(1, 5), depth + 1)
        if made:
            handed = [self.rng.choice(inner.memrefs[-4:]) for _ in made]
            self.emit(f"scf.yield {', '.join(handed)} : {', '.join([ANY] * count)}")
        self.emit("}")
        values.memrefs += made


def parse(text: str) -> builtin.ModuleOp:
    context = Context()
    for dialect in (builtin.Builtin, func.Func, memref.MemRef, test.Test, scf.Scf, arith.Arith):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


@dataclass(eq=False)
class Piece:
    """Storage that one execution of an allocation made; nothing where it came from outside."""

    op: Operation | None
    memory: str = ""
    low: int = 0
    high: int = 0
    touched: bool = False


class Lost(Exception):
    """A buffer found bytes of somebody else, or lies where it must not."""


class Machine:
    """Runs functions of a planned module; `run` raises Lost."""

    def __init__(self, module: builtin.ModuleOp, seed: int, banks: dict[str, tuple[int, int]]):
        self.rng = random.Random(seed)
        self.functions = {f.sym_name.data: f for f in module.body.ops if isinstance(f, func.FuncOp)}
        self.owners: dict[tuple[str, int], Piece] = {}
        self.banks = banks
        self.turns: list[int] = []
        self.steps = 0

    def run(self, name: str) -> None:
        function = self.functions[name]
        given = [Piece(None) if isa(a.type, builtin.MemRefType) else None for a in function.args]
        returned = self.call(function, given)
        self.touch([piece for piece in returned if piece is not None])

    def call(self, function: func.FuncOp, given: Sequence[Piece | None]) -> Sequence[Piece | None]:
        turns, self.turns = self.turns, []
        values = dict(zip(function.args, given, strict=True))
        try:
            return self.block(function.body.block, values)
        finally:
            self.turns = turns

    def touch(self, pieces: Sequence[Piece]) -> None:
        self.steps += 1
        for piece in pieces:
            if piece.touched:
                self.check(piece)
        for piece in pieces:
            piece.touched = True
            for byte in range(piece.low, piece.high):
                self.owners[piece.memory, byte] = piece
        for piece in pieces:
            self.check(piece)

    def check(self, piece: Piece) -> None:
        for byte in range(piece.low, piece.high):
            owner = self.owners.get((piece.memory, byte))
            if owner is not piece:
                raise Lost(f"{piece.op} lost byte {byte} of {piece.memory} to {owner and owner.op}")

    def block(self, block: Block, values: dict[SSAValue, Piece | None]) -> list[Piece | None]:
        for op in block.ops:
            self.operation(op, values)
            if self.steps > 3000:
                raise StopIteration
        last = block.last_op
        return [] if last is None else [values.get(v) for v in last.operands]

    def operation(self, op: Operation, values: dict[SSAValue, Piece | None]) -> None:
        given = [values.get(v) for v in op.operands]
        pieces = list(dict.fromkeys(piece for piece in given if piece is not None))
        match op.name:
            case "memref.alloc":
                values[op.results[0]] = self.allocate(op)
            case "memref.subview" | "builtin.unrealized_conversion_cast" | "arith.addi":
                values[op.results[0]] = given[0]
            case "arith.select":
                values[op.results[0]] = self.rng.choice(given[1:])
            case "memref.copy":
                self.touch(pieces)
            case "test.op":
                self.check_banks(op, given)
                for region in op.regions:
                    for inner in region.block.ops:
                        if inner.name == "test.op":
                            self.check_banks(inner, [values.get(v) for v in inner.operands])
                            pieces += [p for v in inner.operands if (p := values.get(v))]
                        else:
                            self.operation(inner, values)
                self.touch(list(dict.fromkeys(pieces)))
                for result in op.results:
                    values[result] = self.rng.choice([*pieces, Piece(None)])
            case "func.call":
                assert isinstance(op, func.CallOp)
                returned = self.call(self.functions[op.callee.string_value()], given)
                values.update(zip(op.results, returned, strict=True))
            case "scf.if":
                region = self.rng.choice([r for r in op.regions if r.blocks])
                values.update(zip(op.results, self.block(region.block, values), strict=False))
            case "scf.for" | "scf.while":
                values.update(zip(op.results, self.loop(op, values, given), strict=True))
            case _:
                pass

    def loop(
        self, op: Operation, values: dict[SSAValue, Piece | None], given: list[Piece | None]
    ) -> list[Piece | None]:
        carried = given[3:] if op.name == "scf.for" else given
        self.turns.append(self.rng.randrange(6))  # Copies begin anywhere.
        try:
            for _ in range(self.rng.choice([0, 1, 2, 3, 4])):
                if op.name == "scf.for":
                    body = op.regions[0].block
                    values.update(zip(body.args[1:], carried, strict=True))
                    carried = self.block(body, values)
                else:
                    carried = self.half(op, 0, carried, values)[1:]
                    carried = self.half(op, 1, carried, values)
                self.turns[-1] += 1
            return carried if op.name == "scf.for" else self.half(op, 0, carried, values)[1:]
        finally:
            self.turns.pop()

    def half(
        self,
        op: Operation,
        which: int,
        carried: list[Piece | None],
        values: dict[SSAValue, Piece | None],
    ) -> list[Piece | None]:
        block = op.regions[which].block
        values.update(zip(block.args, carried, strict=True))
        return self.block(block, values)

    def allocate(self, op: Operation) -> Piece:
        offset, memory = op.attributes["memplan.offset"], op.attributes["memplan.arena"]
        assert isinstance(offset, IntegerAttr)
        assert isinstance(memory, SymbolRefAttr)
        low = offset.value.data
        copies, stride = (number(op, f"memplan.{n}") or 1 for n in ("copies", "copy_stride"))
        if self.turns:
            low += self.turns[-1] % copies * stride
        return Piece(op, memory.string_value(), low, low + alloc_bytes(op))

    def check_banks(self, op: Operation, given: Sequence[Piece | None]) -> None:
        wanted = op.attributes.get("memplan.different_banks")
        if not isinstance(wanted, DenseArrayBase):
            return
        for i, j in combinations(wanted.get_values(), 2):
            a, b = given[i], given[j]
            if a is None or b is None or a.memory != b.memory:
                continue
            banks, capacity = self.banks[a.memory]
            size = capacity // banks
            mine = set(range(a.low // size, (a.high - 1) // size + 1))
            if banks < 2 or mine & set(range(b.low // size, (b.high - 1) // size + 1)):
                raise Lost(f"{a.op} and {b.op} are in one bank")


def number(op: Operation, name: str) -> int | None:
    attribute = op.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def alloc_bytes(op: Operation) -> int:
    assert isa(op.results[0].type, builtin.MemRefType)
    return op.results[0].type.get_shape()[0]


def allocations(module: builtin.ModuleOp) -> Iterator[memref.AllocOp]:
    return (op for op in module.walk() if isinstance(op, memref.AllocOp))


def check_wishes(module: builtin.ModuleOp, capacities: dict[str, int | None], base: int) -> None:
    """Check by the attributes alone that every allocation lies where it asks for."""
    for op in allocations(module):
        offset, copies = number(op, "memplan.offset"), number(op, "memplan.copies") or 1
        stride = number(op, "memplan.copy_stride") or 0
        end = (offset or 0) + (copies - 1) * stride + alloc_bytes(op)
        arena = op.attributes["memplan.arena"]
        assert offset is not None
        assert isinstance(arena, SymbolRefAttr)
        memory = arena.string_value()
        assert number(op, "memplan.fixed_offset") in (None, offset), op
        within = op.attributes.get("memplan.offset_range")
        if isinstance(within, DenseArrayBase):
            low, high = within.get_values()
            assert low <= offset <= end <= high, op
        names = op.attributes.get("memplan.candidates")
        if isinstance(names, builtin.ArrayAttr):
            assert memory in [n.data for n in names if isinstance(n, StringAttr)], op
        else:
            space = op.results[0].type.memory_space
            assert memory == (space.data if isinstance(space, StringAttr) else "L1"), op
        alignment = op.alignment.value.data if op.alignment else 1
        at = offset + (base if memory == "L1" else 0)
        assert at % alignment == 0, op
        assert copies == 1 or (stride % alignment == 0 and stride >= alloc_bytes(op)), op
        capacity = capacities[memory]
        assert capacity is None or end <= capacity, op
