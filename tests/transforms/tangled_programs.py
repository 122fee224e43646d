"""Random programs whose tensors lie in each other, as text: what may share bytes is the hard part.

Overlapping chains of insertions, pads of pads, concatenations of slices of one tensor, views
between them, destinations that are read, operations with several results, loops and branches that
hand on several tensors, calls. What is read has contents; sizes are small, for the interpreter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random

Shape = tuple[int, ...]
Value = tuple[str, Shape]

ROWS = 3
MOST_ELEMENTS = 30
MOST_DEPTH = 2


def t(shape: Shape) -> str:
    """The type of a tensor."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


def types(shapes: Sequence[Shape]) -> str:
    """A list of types."""
    return ", ".join(map(t, shapes))


@dataclass
class Callee:
    """A function that was written before."""

    name: str
    arguments: list[Shape]
    results: list[Shape]


@dataclass
class Body:
    """Writes one block; `values` may be read, `indices` are numbers that are 0 or 1."""

    random: Random
    counter: list[int]
    values: list[Value]
    indices: list[str]
    callees: list[Callee]
    empties: dict[Shape, str] = field(default_factory=dict[Shape, str])
    depth: int = 0
    lines: list[str] = field(default_factory=list[str])

    def grow(self, count: int) -> None:
        """Add operations."""
        kinds: list[Callable[[], object]] = [
            self.unary, self.binary, self.accumulate, self.sum_rows, self.transpose, self.two,
            self.pad, self.concat, self.take, self.put, self.assemble, self.reshape, self.element,
            self.constant, self.copy,
        ]  # fmt: skip
        if self.depth < MOST_DEPTH:
            kinds += [self.loop, self.branch, self.repeat, self.switch]
        if self.callees:
            kinds.append(self.call)
        for _ in range(count):
            self.random.choice(kinds)()

    def name(self) -> str:
        """A new name."""
        self.counter[0] += 1
        return f"%v{self.counter[0]}"

    def add(self, text: str, shape: Shape) -> Value:
        """Add an operation with one result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        self.values.append((name, shape))
        return name, shape

    def pick(self, shape: Shape | None = None, rank: int | None = None) -> Value:
        """A tensor; recent ones more often."""
        found = [v for v in self.values if shape in (None, v[1]) and rank in (None, len(v[1]))]
        if not found:
            shape = shape or ((2, ROWS) if rank == 2 else (ROWS,))
            return self.constant(shape)
        return found[-1 - int(self.random.random() ** 2 * len(found))]

    def empty(self, shape: Shape) -> str:
        """A tensor without contents, often one that was there."""
        if shape not in self.empties or self.random.random() < 0.5:
            name = self.empties[shape] = self.name()
            self.lines.append(f"{name} = tensor.empty() : {t(shape)}")
        return self.empties[shape]

    def destination(self, shape: Shape) -> str:
        """Where a result that covers it goes: old contents do not count."""
        return self.random.choice([self.empty(shape), self.pick(shape)[0]])

    def constant(self, shape: Shape | None = None) -> Value:
        shape = shape or self.random.choice([(2, ROWS), (ROWS,), (4, ROWS), (ROWS, ROWS)])
        kind = self.random.randrange(3)
        if kind == 0:
            return self.add(
                f"linalg.fill ins(%half : f32) outs({self.destination(shape)} : "
                f"{t(shape)}) -> {t(shape)}",
                shape,
            )
        if kind == 1 and len(shape) == 1:
            numbers = ", ".join(f"{self.random.randrange(-4, 5)}.0" for _ in range(shape[0]))
            return self.add(f"arith.constant dense<[{numbers}]> : {t(shape)}", shape)
        return self.add(f"tensor.splat %half : {t(shape)}", shape)

    def unary(self, shape: Shape | None = None) -> Value:
        x, shape = self.pick(shape)
        op, type = self.random.choice(["abs", "negf"]), t(shape)
        return self.add(
            f"linalg.{op} ins({x} : {type}) outs({self.destination(shape)} : {type}) -> {type}",
            shape,
        )

    def binary(self, shape: Shape | None = None) -> Value:
        x, shape = self.pick(shape)
        y, type = self.pick(shape)[0], t(shape)
        if self.random.random() < 0.3:
            return self.add(f"arith.subf {x}, {y} : {type}", shape)
        op = self.random.choice(["add", "sub", "max"])
        return self.add(
            f"linalg.{op} ins({x}, {y} : {type}, {type}) outs("
            f"{self.destination(shape)} : {type}) -> {type}",
            shape,
        )

    def accumulate(self, shape: Shape | None = None) -> Value:
        """Element by element, on top of what is in the destination."""
        x, shape = self.pick(shape)
        out, type = self.pick(shape)[0], t(shape)
        dims = ", ".join(f"d{i}" for i in range(len(shape)))
        map, kinds = f"affine_map<({dims}) -> ({dims})>", ", ".join(['"parallel"'] * len(shape))
        return self.add(
            f"linalg.generic {{indexing_maps = [{map}, {map}], iterator_types = "
            f"[{kinds}]}} ins({x} : {type}) outs({out} : {type}) {{\n"
            "^bb0(%x: f32, %o: f32):\n %s = arith.subf %o, %x : f32\n"
            f" linalg.yield %s : f32\n}} -> {type}",
            shape,
        )

    def sum_rows(self) -> Value:
        """Every element of the result reads a whole column."""
        x, (n, m) = self.pick(rank=2)
        out, (k, _) = self.random.choice([v for v in self.values if v[1][1:] == (m,)])
        return self.add(
            "linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, "
            'affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", '
            f'"parallel", "reduction"]}} ins({x} : {t((n, m))}) outs({out} : '
            f"{t((k, m))}) {{\n^bb0(%x: f32, %o: f32):\n %s = arith.addf %o, %x : f32"
            f"\n linalg.yield %s : f32\n}} -> {t((k, m))}",
            (k, m),
        )

    def transpose(self) -> Value:
        x, (n, m) = self.pick(rank=2)
        return self.add(
            f"linalg.transpose ins({x} : {t((n, m))}) outs({self.destination((m, n))}"
            f" : {t((m, n))}) permutation = [1, 0]",
            (m, n),
        )

    def two(self) -> Value:
        """An operation with two results, one of which adds to its destination."""
        x, (n, m) = self.pick(rank=2)
        y, type = self.pick((n, m))[0], t((n, m))
        first, second = self.destination((n, m)), self.pick((n, m))[0]
        of_y = self.random.choice(["(i, j)", f"({n - 1} - i, j)"])
        name, id = self.name(), "affine_map<(i, j) -> (i, j)>"
        results = ["%a", "%b"]
        outs = [first, second]
        if self.random.random() < 0.5:
            results.reverse()
            outs.reverse()
        old = "%q" if outs[1] == second else "%o"
        self.lines.append(
            f"{name}:2 = linalg.generic {{indexing_maps = [{id}, affine_map<(i, j) -> {of_y}>, "
            f'{id}, {id}], iterator_types = ["parallel", "parallel"]}} ins({x}, {y} : {type}, '
            f"{type}) outs({', '.join(outs)} : {type}, {type}) {{\n^bb0(%x: f32, %y: f32, %o: f32,"
            f" %q: f32):\n %a = arith.addf %x, %y : f32\n %b = arith.subf {old}, %x : f32\n"
            f" linalg.yield {', '.join(results)} : f32, f32\n}} -> ({type}, {type})"
        )
        return self.results(name, [(n, m), (n, m)])

    def pad(self) -> Value:
        x, shape = self.pick(rank=2)
        low = [self.random.choice([0, 0, 1, 2]), self.random.choice([0, 0, 0, 1])]
        high = [self.random.choice([0, 1, 2]), self.random.choice([0, 0, 0, 1])]
        made = tuple(a + b + c for a, b, c in zip(low, shape, high, strict=True))
        if prod(made) > MOST_ELEMENTS:
            return self.unary()
        return self.add(
            f"tensor.pad {x} low{low} high{high} {{\n^bb0(%i: index, %j: index):\n"
            f" tensor.yield %half : f32\n}} : {t(shape)} to {t(made)}",
            made,
        )

    def concat(self) -> Value:
        x, shape = self.pick(rank=2)
        axis = self.random.choice([0, 0, 1])
        parts = [(x, shape)]
        for _ in range(self.random.randrange(1, 3)):
            parts.append(
                self.random.choice(
                    [
                        v
                        for v in self.values[-6:]
                        if len(v[1]) == 2 and v[1][1 - axis] == shape[1 - axis]
                    ]
                    or parts
                )
            )
        self.random.shuffle(parts)
        total = sum(part[1][axis] for part in parts)
        made = (total, shape[1]) if axis == 0 else (shape[0], total)
        if prod(made) > MOST_ELEMENTS:
            return self.unary()
        names = ", ".join(part[0] for part in parts)
        return self.add(
            f"tensor.concat dim({axis}) {names} : ({types([p[1] for p in parts])}) -> {t(made)}",
            made,
        )

    def take(self) -> Value:
        """A part of a tensor: rows, with a stride, from a number or a value on, or one row."""
        x, (n, m) = self.pick(rank=2)
        stride = self.random.choice([1, 1, 2])
        rows = self.random.randint(1, (n - 1) // stride + 1)
        room = n - ((rows - 1) * stride + 1)
        start = self.start(room)
        first = self.random.choice([0, 0, 0, 1]) if m > 1 else 0
        made = (rows, m - first)
        kept = made[1:] if rows == 1 and self.random.random() < 0.5 else made
        return self.add(
            f"tensor.extract_slice {x}[{start}, {first}] [{rows}, {m - first}] "
            f"[{stride}, 1] : {t((n, m))} to {t(kept)}",
            kept,
        )

    def start(self, room: int) -> str:
        """A row to begin with: at most `room`."""
        if room >= 1 and self.indices and self.random.random() < 0.25:
            return self.random.choice(self.indices)
        return str(self.random.randint(0, room))

    def put(self) -> Value:
        """Put a tensor over rows of a larger one."""
        x, (n, m) = self.pick(rank=2)
        larger = [v for v in self.values if len(v[1]) == 2 and v[1][0] >= n and v[1][1] >= m]
        return self.put_into(self.random.choice(larger[-8:]), (x, (n, m)))

    def put_into(self, into: Value, part: Value) -> Value:
        dest, (n, m) = into
        x, (k, w) = part
        stride = 2 if 2 * k - 1 <= n and self.random.random() < 0.2 else 1
        at = self.start(n - ((k - 1) * stride + 1))
        return self.add(
            f"tensor.insert_slice {x} into {dest}[{at}, {self.random.randint(0, m - w)}"
            f"] [{k}, {w}] [{stride}, 1] : {t((k, w))} into {t((n, m))}",
            (n, m),
        )

    def assemble(self, shape: Shape | None = None) -> Value:
        """Parts that are made here go over each other into one tensor, in any order."""
        n, m = shape or (self.random.randint(2, 6), ROWS)
        cut = self.random.randint(1, n - 1)
        spans = [(0, cut), (cut, n)]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            start = self.random.randrange(n)
            spans.append((start, self.random.randint(start + 1, n)))
        self.random.shuffle(spans)
        parts = [self.part((stop - start, m)) for start, stop in spans]
        base = self.random.choice([self.empty((n, m)), self.empty((n, m)), self.pick((n, m))[0]])
        for i in self.random.sample(range(len(spans)), len(spans)):
            (start, stop), (x, part) = spans[i], parts[i]
            base, _ = self.add(
                f"tensor.insert_slice {x} into {base}[{start}, 0] [{stop - start}, {m}] "
                f"[1, 1] : {t(part)} into {t((n, m))}",
                (n, m),
            )
            self.values.pop()  # The rest has no contents yet.
        self.values.append((base, (n, m)))
        return self.values[-1]

    def part(self, shape: Shape) -> Value:
        """A tensor of some shape, mostly computed from rows of a larger one."""
        n, m = shape
        larger = [v for v in self.values if len(v[1]) == 2 and v[1][0] >= n and v[1][1] == m]
        if larger:
            x, (rows, _) = larger[-1 - int(self.random.random() ** 2 * len(larger))]
            self.add(
                f"tensor.extract_slice {x}[{self.random.randint(0, rows - n)}, 0] [{n}, {m}] "
                f"[1, 1] : {t((rows, m))} to {t(shape)}",
                shape,
            )
        make = self.random.choice([self.unary, self.binary, self.accumulate, self.pick])
        return make(shape)

    def reshape(self) -> Value:
        x, shape = self.pick()
        if len(shape) == 2:
            return self.add(
                f"tensor.collapse_shape {x} [[0, 1]] : {t(shape)} into {t((prod(shape),))}",
                (prod(shape),),
            )
        if len(shape) == 1:
            rows = self.random.choice([d for d in range(1, shape[0] + 1) if shape[0] % d == 0])
            made = (rows, shape[0] // rows)
            return self.add(
                f"tensor.expand_shape {x} [[0, 1]] output_shape [{rows}, {made[1]}] : "
                f"{t(shape)} into {t(made)}",
                made,
            )
        return self.unary()

    def element(self) -> Value:
        """One element goes over another one."""
        x, (n, m) = self.pick(rank=2)
        y, other = self.pick(rank=2)
        scalar = self.name()
        self.lines.append(f"{scalar} = tensor.extract {x}[%c0, %c0] : {t((n, m))}")
        at = self.random.choice(["%c0", *(self.indices if other[0] > 1 else [])])
        return self.add(f"tensor.insert {scalar} into {y}[{at}, %c0] : {t(other)}", other)

    def copy(self) -> Value:
        x, shape = self.pick()
        if self.random.random() < 0.5:
            return self.add(f"bufferization.alloc_tensor() copy({x}) : {t(shape)}", shape)
        return self.add(
            f"bufferization.materialize_in_destination {x} in {self.destination(shape)}"
            f" : ({t(shape)}, {t(shape)}) -> {t(shape)}",
            shape,
        )

    def inner(self, values: Sequence[Value] = (), indices: Sequence[str] = ()) -> "Body":
        """A block inside this one, with some operations."""
        body = Body(
            self.random,
            self.counter,
            [*self.values, *values],
            [*self.indices, *indices],
            self.callees,
            dict(self.empties),
            self.depth + 1,
        )
        body.grow(self.random.randrange(4))
        return body

    def handed_on(self) -> list[Value]:
        return [self.pick() for _ in range(self.random.choice([1, 1, 2, 3]))]

    def results(self, name: str, shapes: Sequence[Shape]) -> Value:
        """Results of an operation may be used; sometimes one goes into another at once."""
        made = [
            (name if len(shapes) == 1 else f"{name}#{i}", shape) for i, shape in enumerate(shapes)
        ]
        self.values += made
        fit = [
            (into, part)
            for into in made
            for part in made
            if into is not part
            and len(into[1]) == len(part[1]) == 2
            and all(a >= b for a, b in zip(into[1], part[1], strict=True))
        ]
        if fit and self.random.random() < 0.3:
            return self.put_into(*self.random.choice(fit))
        return self.values[-1]

    def ending(self, body: "Body", shapes: Sequence[Shape]) -> str:
        """The values that a block yields; some are put together for it."""
        return ", ".join(
            body.assemble(shape)[0]
            if shape[1:] == (ROWS,) and shape[0] > 1 and self.random.random() < 0.4
            else body.pick(shape)[0]
            for shape in shapes
        )

    def loop(self) -> Value:
        """A loop of up to three iterations."""
        initial = self.handed_on()
        shapes = [shape for _, shape in initial]
        arguments, number = [self.name() for _ in initial], self.name()
        trips = self.random.choice(["%c0", "%c1", "%c2", "%c2", "%c3"])
        few = [number] if trips in ("%c1", "%c2") else []
        body = self.inner(list(zip(arguments, shapes, strict=True)), few)
        yielded = self.ending(body, shapes)
        carried = ", ".join(f"{a} = {v}" for a, (v, _) in zip(arguments, initial, strict=True))
        lines = "\n".join(body.lines)
        name = self.name()
        count = f":{len(shapes)}" if len(shapes) > 1 else ""
        self.lines.append(
            f"{name}{count} = scf.for {number} = %c0 to {trips} step %c1 iter_args("
            f"{carried}) -> ({types(shapes)}) {{\n{lines}\nscf.yield {yielded} : "
            f"{types(shapes)}\n}}"
        )
        return self.results(name, shapes)

    def repeat(self) -> Value:
        """A while loop of up to two iterations, whose condition hands on what it likes."""
        initial = self.handed_on()
        shapes = [shape for _, shape in initial]
        before = [self.name() for _ in initial]
        number, go, next = self.name(), self.name(), self.name()
        head = self.inner(list(zip(before, shapes, strict=True)))
        same = self.random.random() < 0.5
        sent = (
            [v for v in zip(before, shapes, strict=True)]
            if same
            else [head.pick() for _ in range(self.random.choice([1, 2, 3]))]
        )
        given = [shape for _, shape in sent]
        after = [self.name() for _ in sent]
        tail = self.inner(list(zip(after, given, strict=True)))
        yielded = self.ending(tail, shapes)
        lines, rest = "\n".join(head.lines), "\n".join(tail.lines)
        carried = ", ".join(f"{a} = {v}" for a, (v, _) in zip(before, initial, strict=True))
        trips = self.random.choice(["%c0", "%c1", "%c2"])
        name, counted = self.name(), self.name()
        listed = ", ".join(f"{a}: {t(s)}" for a, s in zip(after, given, strict=True))
        self.lines.append(
            f"{name}:{len(sent) + 1} = scf.while ({number} = %c0, {carried}) : (index, "
            f"{types(shapes)}) -> (index, {types(given)}) {{\n{go} = arith.cmpi slt, {number}, "
            f"{trips} : index\n{lines}\nscf.condition({go}) {number}, "
            f"{', '.join(v for v, _ in sent)} : index, {types(given)}\n}} do {{\n^bb0({counted}: "
            f"index, {listed}):\n{rest}\n{next} = arith.addi {counted}, %c1 : index\n"
            f"scf.yield {next}, {yielded} : index, {types(shapes)}\n}}"
        )
        self.values += [(f"{name}#{i + 1}", shape) for i, shape in enumerate(given)]
        return self.values[-1]

    def branch(self) -> Value:
        """Two arms."""
        shapes = [shape for _, shape in self.handed_on()]
        arms: list[str] = []
        for _ in range(2):
            body = self.inner()
            yielded = self.ending(body, shapes)
            lines = "\n".join(body.lines)
            arms.append(f"{lines}\nscf.yield {yielded} : {types(shapes)}")
        name = self.name()
        count = f":{len(shapes)}" if len(shapes) > 1 else ""
        self.lines.append(
            f"{name}{count} = scf.if %t{self.random.randrange(2)} -> "
            f"({types(shapes)}) {{\n{arms[0]}\n}} else {{\n{arms[1]}\n}}"
        )
        return self.results(name, shapes)

    def switch(self) -> Value:
        """Arms for numbers, or a block that is run as it is."""
        shapes = [shape for _, shape in self.handed_on()]
        arms: list[str] = []
        for _ in range(2):
            body = self.inner()
            yielded = self.ending(body, shapes)
            lines = "\n".join(body.lines)
            arms.append(f"{{\n{lines}\nscf.yield {yielded} : {types(shapes)}\n}}")
        name = self.name()
        count = f":{len(shapes)}" if len(shapes) > 1 else ""
        self.lines.append(
            f"{name}{count} = scf.index_switch %n -> {types(shapes)}\ncase 1 "
            f"{arms[0]}\ndefault {arms[1]}"
        )
        return self.results(name, shapes)

    def call(self) -> Value:
        """A call of a function of this module."""
        callee = self.random.choice(self.callees)
        operands = ", ".join(self.pick(shape)[0] for shape in callee.arguments)
        name = self.name()
        count = f":{len(callee.results)}" if len(callee.results) > 1 else ""
        self.lines.append(
            f"{name}{count} = func.call @{callee.name}(%n, {operands}) : (index, "
            f"{types(callee.arguments)}) -> ({types(callee.results)})"
        )
        return self.results(name, callee.results)


HEAD = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 5.0e-1 : f32
  %t0 = arith.constant false
  %t1 = arith.constant true
"""


def tangled_program(seed: int, most: int = 9, *, control_flow: bool = True) -> str:
    """A module with a function @main(index, tensors...), last."""
    random = Random(seed)
    callees: list[Callee] = []
    texts: list[str] = []
    for number in range(random.choice([0, 0, 0, 1, 2]) if control_flow else 0):
        name = f"callee{number}"
        text, callee = _function(random, name, random.randint(0, 3), callees, 0)
        texts.append(text)
        callees.append(callee)
    depth = 0 if control_flow else MOST_DEPTH
    texts.append(_function(random, "main", random.randint(3, most), callees, depth)[0])
    return "\n".join(texts)


def _function(
    random: Random, name: str, operations: int, callees: list[Callee], depth: int
) -> tuple[str, Callee]:
    shapes: list[Shape] = [
        random.choice([(2, ROWS), (4, ROWS), (ROWS,), (ROWS, 2)]) for _ in range(3)
    ]
    arguments = [(f"%{name}_{i}", shape) for i, shape in enumerate(shapes)]
    body = Body(random, [0], list(arguments), ["%n", "%c0", "%c1"], callees, depth=depth)
    body.grow(operations)
    results = [body.pick() for _ in range(random.randint(1, 3))]
    if name == "main":
        results = [body.values[-1], *results]
    writable = [
        " {bufferization.writable = true}" if random.random() < 0.15 else "" for _ in shapes
    ]
    listed = ", ".join(
        f"{a}: {t(s)}{mark}" for (a, s), mark in zip(arguments, writable, strict=True)
    )
    made = [shape for _, shape in results]
    lines = "\n".join(body.lines)
    visibility = "" if name == "main" else "private "
    text = (
        f"func.func {visibility}@{name}(%n: index, {listed}) -> ({types(made)}) {{\n{HEAD}{lines}\n"
        f"  func.return {', '.join(v for v, _ in results)} : {types(made)}\n}}\n"
    )
    return text, Callee(name, shapes, made)
