"""Random programs of linalg, tensor and scf operations, as text."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st

Shape = tuple[int, ...]
T = TypeVar("T")

SHAPES: list[Shape] = [(2, 3), (3, 2), (3, 3), (6,), (3,)]
IDENTITY = {1: "(i) -> (i)", 2: "(i, j) -> (i, j)"}


def type_of(shape: Shape) -> str:
    return f"tensor<{'x'.join(str(size) for size in shape)}xf32>"


class RandomProgram:
    """A function of tensors, grown one operation at a time; what is read has contents.

    `values` are what the operations may read; `empties` are shared by all that need a destination,
    as torch-mlir's importer shares them.
    """

    def __init__(self, draw: Callable[[st.SearchStrategy[T]], T], operations: int) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.count = 0
        self.values: list[tuple[str, Shape]] = []
        self.empties: dict[Shape, str] = {}
        self.inputs = [self.pick(SHAPES) for _ in range(self.number(1, 3))]
        arguments: list[str] = []
        for i, shape in enumerate(self.inputs):
            self.values.append((f"%arg{i}", shape))
            arguments.append(f"%arg{i}: {type_of(shape)}")
        for name in ("c0", "c1", "c2"):
            self.lines.append(f"%{name} = arith.constant {name[1]} : index")
        self.lines.append("%zero = arith.constant 0.0 : f32")
        self.grow(operations, depth=0)
        computed = [value for value in self.values if not value[0].startswith("%arg")]
        results = [computed[-1], *(self.pick(computed) for _ in range(self.number(0, 1)))]
        results = list(dict.fromkeys(results))
        types = ", ".join(type_of(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        body = "\n".join(f"  {line}" for line in self.lines)
        self.text = (
            f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}\n"
            f"  func.return {names} : {types}\n}}\n"
        )

    def pick(self, options: list[T]) -> T:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def grow(self, operations: int, depth: int) -> None:
        kinds = [
            self.unary, self.binary, self.accumulate, self.fill_and_multiply, self.transpose,
            self.rows, self.insert, self.concat, self.pad, self.flatten, self.broadcast,
            self.reduce,
        ]  # fmt: skip
        nested = [self.branch, self.loop] if depth < 2 else []
        for _ in range(operations):
            kind = self.pick([*kinds, *nested])
            kind(depth) if kind in nested else kind()
        if not any(not name.startswith("%arg") for name, _ in self.values):
            self.unary()

    def add(self, text: str, shape: Shape) -> str:
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        self.values.append((name, shape))
        return name

    def value(self, rank: int | None = None, shape: Shape | None = None) -> tuple[str, Shape]:
        fits = [
            value
            for value in self.values
            if (rank is None or len(value[1]) == rank) and shape in (None, value[1])
        ]
        if fits:
            # Mostly what was made last, so that little is computed in vain.
            return self.pick(fits[-3:] if self.number(0, 3) else fits)
        shape = shape or (self.pick([s for s in SHAPES if len(s) == rank]))
        numbers = self.number(-3, 3) / 2
        return self.add(f"arith.constant dense<{numbers}> : {type_of(shape)}", shape), shape

    def destination(self, shape: Shape) -> str:
        """A tensor.empty, often one that others use too."""
        if shape not in self.empties or self.number(0, 3) == 0:
            name = f"%e{self.count}"
            self.count += 1
            self.lines.append(f"{name} = tensor.empty() : {type_of(shape)}")
            self.empties[shape] = name
        return self.empties[shape]

    def unary(self) -> None:
        x, shape = self.value()
        name = self.pick(["abs", "negf", "tanh"])
        t = type_of(shape)
        out = self.destination(shape)
        self.add(f"linalg.{name} ins({x} : {t}) outs({out} : {t}) -> {t}", shape)

    def binary(self) -> None:
        x, shape = self.value()
        self.combine(x, self.value(shape=shape)[0], shape)

    def combine(self, x: str, y: str, shape: Shape) -> None:
        t = type_of(shape)
        out = self.pick([self.destination(shape), self.value(shape=shape)[0]])
        name = self.pick(["add", "sub", "max"])
        self.add(f"linalg.{name} ins({x}, {y} : {t}, {t}) outs({out} : {t}) -> {t}", shape)

    def accumulate(self) -> None:
        """An operation that needs what is in its destination."""
        x, shape = self.value()
        out, _ = self.value(shape=shape)
        map = f"affine_map<{IDENTITY[len(shape)]}>"
        kinds = ", ".join(['"parallel"'] * len(shape))
        t = type_of(shape)
        self.add(
            f"linalg.generic {{indexing_maps = [{map}, {map}], iterator_types = [{kinds}]}} "
            f"ins({x} : {t}) outs({out} : {t}) {{\n"
            "  ^bb0(%in: f32, %out: f32):\n"
            "    %s = arith.subf %out, %in : f32\n"
            "    linalg.yield %s : f32\n"
            f"  }} -> {t}",
            shape,
        )

    def fill_and_multiply(self) -> None:
        x, (m, k) = self.value(rank=2)
        y, _ = self.value(shape=(k, m))
        t = type_of((m, m))
        zeros = self.add(
            f"linalg.fill ins(%zero : f32) outs({self.destination((m, m))} : {t}) -> {t}", (m, m)
        )
        types = f"{type_of((m, k))}, {type_of((k, m))}"
        self.add(f"linalg.matmul ins({x}, {y} : {types}) outs({zeros} : {t}) -> {t}", (m, m))

    def transpose(self) -> None:
        x, (m, n) = self.value(rank=2)
        out = self.destination((n, m))
        self.add(
            f"linalg.transpose ins({x} : {type_of((m, n))}) outs({out} : {type_of((n, m))}) "
            "permutation = [1, 0]",
            (n, m),
        )

    def broadcast(self) -> None:
        x, (n,) = self.value(rank=1)
        out = self.destination((2, n))
        self.add(
            f"linalg.broadcast ins({x} : {type_of((n,))}) outs({out} : {type_of((2, n))}) "
            "dimensions = [0]",
            (2, n),
        )

    def reduce(self) -> None:
        x, (m, n) = self.value(rank=2)
        init, _ = self.value(shape=(n,))
        self.add(
            f"linalg.reduce {{ arith.addf }} ins({x} : {type_of((m, n))}) "
            f"outs({init} : {type_of((n,))}) dimensions = [0]",
            (n,),
        )

    def rows(self) -> None:
        x, (m, n) = self.value(rank=2)
        first = self.number(0, m - 1)
        self.add(
            f"tensor.extract_slice {x}[{first}, 0] [1, {n}] [1, 1] "
            f": {type_of((m, n))} to {type_of((n,))}",
            (n,),
        )

    def insert(self) -> None:
        dest, (m, n) = self.value(rank=2)
        row, _ = self.value(shape=(n,))
        at = self.number(0, m - 1)
        self.add(
            f"tensor.insert_slice {row} into {dest}[{at}, 0] [1, {n}] [1, 1] "
            f": {type_of((n,))} into {type_of((m, n))}",
            (m, n),
        )

    def concat(self) -> None:
        x, (m, n) = self.value(rank=2)
        y, (k, _) = next(
            (v for v in reversed(self.values) if len(v[1]) == 2 and v[1][1] == n), (x, (m, n))
        )
        self.add(
            f"tensor.concat dim(0) {x}, {y} : ({type_of((m, n))}, {type_of((k, n))}) "
            f"-> {type_of((m + k, n))}",
            (m + k, n),
        )

    def pad(self) -> None:
        x, (m, n) = self.value(rank=2)
        self.add(
            f"tensor.pad {x} low[1, 0] high[0, 1] {{\n"
            "  ^bb0(%i: index, %j: index):\n"
            "    tensor.yield %zero : f32\n"
            f"  }} : {type_of((m, n))} to {type_of((m + 1, n + 1))}",
            (m + 1, n + 1),
        )

    def flatten(self) -> None:
        x, (m, n) = self.value(rank=2)
        self.add(
            f"tensor.collapse_shape {x} [[0, 1]] : {type_of((m, n))} into {type_of((m * n,))}",
            (m * n,),
        )

    def branch(self, depth: int) -> None:
        """Two arms that yield a tensor of one shape; the condition depends on contents."""
        x, (n,) = self.value(rank=1)
        condition = f"%b{self.count}"
        self.count += 1
        self.lines += [
            f"{condition}e = tensor.extract {x}[%c0] : {type_of((n,))}",
            f"{condition} = arith.cmpf ogt, {condition}e, %zero : f32",
        ]
        shape = self.value()[1]
        arms = [self.arm(shape, depth), self.arm(shape, depth)]
        then, otherwise = ("\n".join(f"  {line}" for line in arm) for arm in arms)
        t = type_of(shape)
        self.add(f"scf.if {condition} -> ({t}) {{\n{then}\n}} else {{\n{otherwise}\n}}", shape)

    def arm(self, shape: Shape, depth: int) -> list[str]:
        outside = (self.lines, list(self.values), dict(self.empties))
        self.lines = []
        if self.number(0, 2):
            self.grow(self.number(1, 2), depth + 1)
        result, _ = self.value(shape=shape)
        lines = [*self.lines, f"scf.yield {result} : {type_of(shape)}"]
        self.lines, self.values, self.empties = outside
        return lines

    def loop(self, depth: int) -> None:
        """Two iterations that carry a tensor."""
        init, shape = self.value()
        name = f"%l{self.count}"
        self.count += 1
        outside = (self.lines, list(self.values), dict(self.empties))
        self.lines = []
        self.values.append((name, shape))
        self.grow(self.number(0, 2), depth + 1)
        if self.number(0, 3):
            self.combine(self.value(shape=shape)[0], name, shape)
        result, _ = self.value(shape=shape)
        body = "\n".join(f"  {line}" for line in self.lines)
        self.lines, self.values, self.empties = outside
        t = type_of(shape)
        self.add(
            f"scf.for %i{name[1:]} = %c0 to %c2 step %c1 iter_args({name} = {init}) -> ({t}) {{\n"
            f"{body}\n  scf.yield {result} : {t}\n}}",
            shape,
        )


@st.composite
def random_programs(draw: Callable[[st.SearchStrategy[T]], T]) -> RandomProgram:
    """Programs of up to 8 operations outside of branches and loops."""
    return RandomProgram(draw, draw(st.integers(1, 8)))
