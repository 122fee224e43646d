"""Random programs of linalg, tensor and scf operations, with what they compute in numpy."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Environment = dict[str, Array]
Step = Callable[[Environment], None]

SHAPES = [(4, 6), (6, 4), (24,), (2, 2, 6), (4, 3), (8, 6)]


def tensor_type(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


@dataclass
class Program:
    """A function @main and its meaning."""

    text: str
    steps: list[Step]
    arguments: list[tuple[str, tuple[int, ...]]]
    results: list[str]

    def run(self, arrays: list[Array]) -> list[Array]:
        environment = {name: a for (name, _), a in zip(self.arguments, arrays, strict=True)}
        for step in self.steps:
            step(environment)
        return [environment[name] for name in self.results]


@dataclass
class Builder:
    """Appends random operations; `scope` holds the tensors that may be used."""

    random: random.Random
    scope: list[tuple[str, tuple[int, ...]]]
    counter: list[int]
    depth: int = 0
    lines: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])

    def name(self) -> str:
        self.counter[0] += 1
        return f"%v{self.counter[0]}"

    def pick(self, shape: tuple[int, ...] | None = None) -> tuple[str, tuple[int, ...]] | None:
        # Recent tensors more often than old ones.
        found = [v for v in self.scope if shape is None or v[1] == shape]
        return found[-1 - int(self.random.random() ** 2 * len(found))] if found else None

    def add(self, line: str, name: str, shape: tuple[int, ...], step: Step) -> None:
        self.lines.append("  " * (self.depth + 1) + line)
        self.steps.append(step)
        self.scope.append((name, shape))

    def empty(self, shape: tuple[int, ...]) -> str:
        name = self.name()
        self.lines.append(f"{name} = tensor.empty() : {tensor_type(shape)}")
        return name

    def build(self, count: int) -> None:
        kinds = [
            self.elementwise,
            self.elementwise,
            self.elementwise,
            self.transpose,
            self.fill,
            self.pad,
            self.concat,
            self.insert_slice,
            self.extract_slice,
            self.reshape,
            self.matmul,
            self.insert,
            self.whole,
            self.reduce,
        ]
        if self.depth < 2:
            kinds += [self.loop, self.branch, self.update]
        for _ in range(count):
            self.random.choice(kinds)()

    def elementwise(self) -> None:
        left = self.pick()
        assert left
        right = self.pick(left[1])
        assert right
        out, name, op = self.empty(left[1]), self.name(), self.random.choice(["addf", "mulf"])
        destination = self.random.choice([out, out, left[0]])
        maps = ", ".join([identity(len(left[1]))] * 3)
        iterators = ", ".join(['"parallel"'] * len(left[1]))
        type = tensor_type(left[1])
        function = np.add if op == "addf" else np.multiply

        def step(env: Environment) -> None:
            env[name] = function(env[left[0]], env[right[0]])

        self.add(
            f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins({left[0]}, {right[0]} : {type}, {type}) outs({destination} : {type}) {{\n"
            f"^bb0(%x: f32, %y: f32, %o: f32):\n %z = arith.{op} %x, %y : f32\n"
            f" linalg.yield %z : f32\n}} -> {type}",
            name,
            left[1],
            step,
        )

    def whole(self) -> None:
        left = self.pick()
        assert left
        right = self.pick(left[1])
        assert right
        name = self.name()

        def step(env: Environment) -> None:
            env[name] = env[left[0]] - env[right[0]]

        self.add(
            f"{name} = arith.subf {left[0]}, {right[0]} : {tensor_type(left[1])}",
            name,
            left[1],
            step,
        )

    def transpose(self) -> None:
        source = self.pick((4, 6)) or self.pick((6, 4))
        if not source:
            return
        shape = source[1][::-1]
        out, name = self.empty(shape), self.name()

        def step(env: Environment) -> None:
            env[name] = np.ascontiguousarray(env[source[0]].T)

        self.add(
            f"{name} = linalg.transpose ins({source[0]} : {tensor_type(source[1])}) "
            f"outs({out} : {tensor_type(shape)}) permutation = [1, 0]",
            name,
            shape,
            step,
        )

    def fill(self) -> None:
        shape = self.random.choice(SHAPES)
        out, name = self.empty(shape), self.name()

        def step(env: Environment) -> None:
            env[name] = np.full(shape, 0.5, np.float32)

        self.add(
            f"{name} = linalg.fill ins(%half : f32) outs({out} : {tensor_type(shape)}) "
            f"-> {tensor_type(shape)}",
            name,
            shape,
            step,
        )

    def pad(self) -> None:
        source = self.pick((4, 6))
        inner = self.pick((8, 6))
        if not source or not inner:
            return
        low = self.random.choice([0, 1, 4])
        name = self.name()

        def step(env: Environment) -> None:
            env[name] = np.pad(env[source[0]], ((low, 4 - low), (0, 0)), constant_values=0.5)

        self.add(
            f"{name} = tensor.pad {source[0]} low[{low}, 0] high[{4 - low}, 0] {{\n"
            f"^bb0(%i: index, %j: index):\n tensor.yield %half : f32\n"
            f"}} : {tensor_type((4, 6))} to {tensor_type((8, 6))}",
            name,
            (8, 6),
            step,
        )

    def concat(self) -> None:
        left, right = self.pick((4, 6)), self.pick((4, 6))
        if not left or not right:
            return
        name = self.name()

        def step(env: Environment) -> None:
            env[name] = np.concatenate([env[left[0]], env[right[0]]], 0)

        self.add(
            f"{name} = tensor.concat dim(0) {left[0]}, {right[0]} : (tensor<4x6xf32>, "
            f"tensor<4x6xf32>) -> tensor<8x6xf32>",
            name,
            (8, 6),
            step,
        )

    def insert_slice(self) -> None:
        source, dest = self.pick((4, 6)), self.pick((8, 6))
        if not source or not dest:
            return
        name, at, stride = self.name(), self.random.randrange(2), self.random.choice([1, 2])

        def step(env: Environment) -> None:
            new = env[dest[0]].copy()
            new[at : at + 3 * stride + 1 : stride] = env[source[0]]
            env[name] = new

        self.add(
            f"{name} = tensor.insert_slice {source[0]} into {dest[0]}[{at}, 0] [4, 6] "
            f"[{stride}, 1] : tensor<4x6xf32> into tensor<8x6xf32>",
            name,
            (8, 6),
            step,
        )

    def extract_slice(self) -> None:
        source = self.pick((8, 6))
        if not source:
            return
        name, at, stride = self.name(), self.random.randrange(2), self.random.choice([1, 2])

        def step(env: Environment) -> None:
            env[name] = env[source[0]][at : at + 3 * stride + 1 : stride].copy()

        self.add(
            f"{name} = tensor.extract_slice {source[0]}[{at}, 0] [4, 6] [{stride}, 1] : "
            f"tensor<8x6xf32> to tensor<4x6xf32>",
            name,
            (4, 6),
            step,
        )

    def reshape(self) -> None:
        kind = self.random.choice(
            [
                ("collapse_shape", (4, 6), (24,), "[[0, 1]]", ""),
                ("expand_shape", (24,), (4, 6), "[[0, 1]]", " output_shape [4, 6]"),
                ("expand_shape", (4, 6), (2, 2, 6), "[[0, 1], [2]]", " output_shape [2, 2, 6]"),
                ("collapse_shape", (2, 2, 6), (4, 6), "[[0, 1], [2]]", ""),
            ]
        )
        op, old, new, groups, tail = kind
        source = self.pick(old)
        if not source:
            return
        name = self.name()

        def step(env: Environment) -> None:
            env[name] = env[source[0]].reshape(new)

        self.add(
            f"{name} = tensor.{op} {source[0]} {groups}{tail} : {tensor_type(old)} into "
            f"{tensor_type(new)}",
            name,
            new,
            step,
        )

    def matmul(self) -> None:
        left, right, out = self.pick((6, 4)), self.pick((4, 6)), self.pick((4, 3))
        if not left or not right or not out:
            return
        name, first, second = self.name(), self.name(), self.name()

        def step(env: Environment) -> None:
            total = env[out[0]].copy()
            for k in range(6):
                total += env[right[0]][:, k : k + 1] * env[left[0]][k, :3]
            env[name] = total

        self.lines.append(
            f"{first} = tensor.extract_slice {left[0]}[0, 0] [6, 3] [1, 1] : "
            f"tensor<6x4xf32> to tensor<6x3xf32>"
        )
        del second
        self.add(
            f"{name} = linalg.matmul ins({right[0]}, {first} : tensor<4x6xf32>, "
            f"tensor<6x3xf32>) outs({out[0]} : tensor<4x3xf32>) -> tensor<4x3xf32>",
            name,
            (4, 3),
            step,
        )

    def reduce(self) -> None:
        source, out = self.pick((4, 6)), self.pick((4, 3))
        if not source or not out:
            return
        name = self.name()

        def step(env: Environment) -> None:
            total = env[out[0]].copy()
            for k in range(6):
                total = total + env[source[0]][:, k : k + 1]
            env[name] = total

        self.add(
            f"{name} = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> (a, c)>, "
            f'affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", '
            f'"reduction"]}} ins({source[0]} : tensor<4x6xf32>) outs({out[0]} : '
            f"tensor<4x3xf32>) {{\n^bb0(%x: f32, %o: f32):\n %z = arith.addf %o, %x : f32\n"
            f" linalg.yield %z : f32\n}} -> tensor<4x3xf32>",
            name,
            (4, 3),
            step,
        )

    def insert(self) -> None:
        source, dest = self.pick((4, 6)), self.pick((4, 6))
        if not source or not dest:
            return
        name, scalar = self.name(), self.name()

        def step(env: Environment) -> None:
            new = env[dest[0]].copy()
            new[0, 1] = env[source[0]][1, 0]
            env[name] = new

        self.lines.append(f"{scalar} = tensor.extract {source[0]}[%c1, %c0] : tensor<4x6xf32>")
        self.add(
            f"{name} = tensor.insert {scalar} into {dest[0]}[%c0, %c1] : tensor<4x6xf32>",
            name,
            (4, 6),
            step,
        )

    def nested(self, extra: list[tuple[str, tuple[int, ...]]]) -> "Builder":
        inner = Builder(self.random, [*self.scope, *extra], self.counter, self.depth + 1)
        inner.build(self.random.randrange(1, 5))
        return inner

    def loop(self) -> None:
        initial = [self.pick((4, 6)), self.pick((4, 6))][: self.random.randrange(1, 3)]
        if not all(initial):
            return
        names, arguments = [self.name() for _ in initial], [self.name() for _ in initial]
        body = self.nested([(a, (4, 6)) for a in arguments])
        yielded = [body.pick((4, 6)) for _ in initial]
        trips = self.random.randrange(0, 4)
        types = ", ".join(["tensor<4x6xf32>"] * len(initial))
        carried = ", ".join(f"{a} = {i[0]}" for a, i in zip(arguments, initial, strict=True) if i)
        last = ", ".join(y[0] for y in yielded if y)
        text = "\n".join(body.lines)
        packed = self.name()
        count = f":{len(initial)}" if len(initial) > 1 else ""
        self.lines.append(
            f"{packed}{count} = scf.for %i{packed[2:]} = %c0 to %c{trips} step %c1 "
            f"iter_args({carried}) -> ({types}) {{\n{text}\nscf.yield {last} : {types}\n}}"
        )

        def step(env: Environment) -> None:
            values = [env[i[0]] for i in initial if i]
            for _ in range(trips):
                inner = {**env, **dict(zip(arguments, values, strict=True))}
                for s in body.steps:
                    s(inner)
                values = [inner[y[0]] for y in yielded if y]
            for index, value in enumerate(values):
                env[f"{packed}#{index}" if count else packed] = value

        self.steps.append(step)
        del names
        for index in range(len(initial)):
            self.scope.append((f"{packed}#{index}" if count else packed, (4, 6)))

    def branch(self) -> None:
        taken = self.random.randrange(2)
        name = self.name()
        arms = [self.nested([]), self.nested([])]
        yielded = [arm.pick((4, 6)) for arm in arms]
        if not all(yielded):
            return
        parts = [
            "\n".join([*arm.lines, f"scf.yield {y[0]} : tensor<4x6xf32>"])
            for arm, y in zip(arms, yielded, strict=True)
            if y
        ]

        def step(env: Environment) -> None:
            arm, value = arms[1 - taken], yielded[1 - taken]
            inner = dict(env)
            for s in arm.steps:
                s(inner)
            assert value
            env[name] = inner[value[0]]

        self.add(
            f"{name} = scf.if %t{taken} -> (tensor<4x6xf32>) {{\n{parts[0]}\n}} else {{\n"
            f"{parts[1]}\n}}",
            name,
            (4, 6),
            step,
        )

    def update(self) -> None:
        """A loop over tiles: take one out, change it, put it back."""
        initial = self.pick((8, 6))
        if not initial:
            return
        name, argument, index = self.name(), self.name(), self.name()
        type = "tensor<4x6xf32>"

        def step(env: Environment) -> None:
            new = env[initial[0]].copy()
            for at in range(2):
                new[at : at + 4] = new[at : at + 4] + new[at : at + 4]
            env[name] = new

        self.add(
            f"{name} = scf.for {index} = %c0 to %c2 step %c1 iter_args({argument} = {initial[0]}) "
            f"-> (tensor<8x6xf32>) {{\n"
            f" %s = tensor.extract_slice {argument}[{index}, 0] [4, 6] [1, 1] : tensor<8x6xf32> to "
            f"{type}\n %d = linalg.add ins(%s, %s : {type}, {type}) outs(%s : {type}) -> {type}\n"
            f" %r = tensor.insert_slice %d into {argument}[{index}, 0] [4, 6] [1, 1] : {type} into "
            f"tensor<8x6xf32>\n scf.yield %r : tensor<8x6xf32>\n}}",
            name,
            (8, 6),
            step,
        )


def random_program(seed: int, length: int = 14) -> Program:
    """The program of a seed."""
    arguments = [(f"%a{i}", shape) for i, shape in enumerate(SHAPES)]
    builder = Builder(random.Random(seed), list(arguments), [0])
    builder.build(length)
    results = list(dict.fromkeys(v[0] for v in (builder.pick() for _ in range(3)) if v is not None))
    shapes = dict(builder.scope)
    inputs = ", ".join(f"{name}: {tensor_type(shape)}" for name, shape in arguments)
    outputs = ", ".join(tensor_type(shapes[name]) for name in results)
    head = [f"  %c{i} = arith.constant {i} : index" for i in range(4)]
    head.append("  %half = arith.constant 5.0e-1 : f32")
    head += ["  %t0 = arith.constant false", "  %t1 = arith.constant true"]
    body = "\n".join([*head, *builder.lines])
    text = (
        f"func.func @main({inputs}) -> ({outputs}) {{\n{body}\n"
        f"  func.return {', '.join(results)} : {outputs}\n}}\n"
    )
    return Program(text, builder.steps, arguments, results)


def random_arguments(program: Program, seed: int) -> list[Array]:
    generator = np.random.default_rng(seed)
    return [generator.integers(-4, 5, shape).astype(np.float32) for _, shape in program.arguments]
