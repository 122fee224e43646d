"""Random programs on sets: an element of an argument is one bit, and operations unite elements.

One run in the interpreter tells for every element of the result which elements it needs.
"""

import random
from math import prod
from typing import Any

import numpy as np

Shape = tuple[int, int]
MAPS = "indexing_maps = [{}], iterator_types = [{}]"
PARALLEL, REDUCTION = '"parallel"', '"reduction"'


class Program:
    """Text of a function on tensors of sets; every operation is written by a method."""

    def __init__(self, seed: int, is_chain: bool) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.exact = is_chain
        """Whether the boxes must be the least ones."""
        self.arguments: list[Shape] = [self.shape(30) for _ in range(1 if is_chain else 2)]
        self.values = [(f"%x{i}", shape) for i, shape in enumerate(self.arguments)]
        plain = [self.window, self.transpose, self.pad, self.slice, self.row_sum]
        others = [self.strided, self.concat, self.reshape, self.insert, self.add_row_sum]
        for _ in range(self.random.randint(2, 6)):
            kind = self.random.choice(plain if is_chain else plain + others)
            value, shape = self.values[-1] if is_chain else self.random.choice(self.values)
            made = kind(value, shape)
            if made is not None:
                self.values.append(made)

    def shape(self, limit: int) -> Shape:
        shape = (self.random.randint(1, 6), self.random.randint(1, 6))
        return shape if prod(shape) <= limit else self.shape(limit)

    def text(self) -> str:
        name, shape = self.values[-1]
        arguments = ", ".join(f"%x{i}: {typed(s)}" for i, s in enumerate(self.arguments))
        lines = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> {typed(shape)} {{\n"
            f"%zero = arith.constant 0 : i64\n{lines}\nfunc.return {name} : {typed(shape)}\n}}"
        )

    def sets(self) -> list[Any]:
        """Arguments in which each element is a set of its own: one bit, ascending."""
        first, arguments = 0, list[Any]()
        for shape in self.arguments:
            bits = [2**n for n in range(first, first + prod(shape))]
            arguments.append(np.array(bits, np.int64).reshape(shape))
            first += prod(shape)
        return arguments

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def zeros(self, shape: Shape) -> str:
        empty, full, type_ = self.name(), self.name(), typed(shape)
        self.lines.append(f"{empty} = tensor.empty() : {type_}")
        self.lines.append(
            f"{full} = linalg.fill ins(%zero : i64) outs({empty} : {type_}) -> {type_}"
        )
        return full

    def unite(self, ins: list[tuple[str, str, str]], out: str, loops: str, shape: Shape) -> Any:
        """Write a generic that unites elements; an input is a value, its type, its map."""
        result, into = self.name(), self.zeros(shape)
        kinds = ", ".join(REDUCTION if loop in "kl" else PARALLEL for loop in loops.split(", "))
        maps = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in (*(i[2] for i in ins), out))
        names, types = ", ".join(i[0] for i in ins), ", ".join(i[1] for i in ins)
        arguments = ", ".join(f"%a{i}: i64" for i in range(len(ins)))
        body = ["%s = arith.ori %a0, %o : i64"]
        last = "%s"
        for i, (value, _, _) in enumerate(ins[1:], 1):
            if not value.startswith("%window"):
                body.append(f"%s{i} = arith.ori {last}, %a{i} : i64")
                last = f"%s{i}"
        self.lines.append(
            f"{result} = linalg.generic {{{MAPS.format(maps, kinds)}}} ins({names} : {types}) "
            f"outs({into} : {typed(shape)}) {{\n^bb0({arguments}, %o: i64):\n"
            + "\n".join(body)
            + f"\nlinalg.yield {last} : i64\n}} -> {typed(shape)}"
        )
        return result, shape

    def window(self, value: str, shape: Shape, stride: int = 1, dilation: int = 1) -> Any:
        kernel = [self.random.randint(1, min(3, n)) for n in shape]
        reach = (kernel[0] - 1) * dilation + 1
        if reach > shape[0]:
            return None
        result = ((shape[0] - reach) // stride + 1, shape[1] - kernel[1] + 1)
        window = f"%window{self.count}"
        window_type = typed((kernel[0], kernel[1]))
        self.lines.append(f"{window} = tensor.empty() : {window_type}")
        read = f"i * {stride} + k * {dilation}, j + l"
        ins = [(value, typed(shape), read), (window, window_type, "k, l")]
        return self.unite(ins, "i, j", "i, j, k, l", result)

    def strided(self, value: str, shape: Shape) -> Any:
        if self.random.random() < 0.5:
            return self.window(value, shape, self.random.randint(1, 3), self.random.randint(1, 2))
        steps = [self.random.randint(1, 3) for _ in shape]
        sizes = [(n - 1) // s + 1 for n, s in zip(shape, steps, strict=True)]
        return self._slice(value, shape, [0, 0], sizes, steps)

    def transpose(self, value: str, shape: Shape) -> Any:
        flipped = (shape[1], shape[0])
        return self.unite([(value, typed(shape), "j, i")], "i, j", "i, j", flipped)

    def pad(self, value: str, shape: Shape) -> Any:
        low, high = ([self.random.randint(0, 2) for _ in shape] for _ in range(2))
        result = (shape[0] + low[0] + high[0], shape[1] + low[1] + high[1])
        name = self.name()
        self.lines.append(
            f"{name} = tensor.pad {value} low{low} high{high} {{\n^bb0(%i: index, %j: index):\n"
            f"tensor.yield %zero : i64\n}} : {typed(shape)} to {typed(result)}"
        )
        return name, result

    def slice(self, value: str, shape: Shape) -> Any:
        offsets = [self.random.randrange(n) for n in shape]
        sizes = [self.random.randint(1, n - o) for n, o in zip(shape, offsets, strict=True)]
        return self._slice(value, shape, offsets, sizes, [1, 1])

    def _slice(self, value: str, shape: Shape, offsets: Any, sizes: Any, steps: Any) -> Any:
        name, result = self.name(), (sizes[0], sizes[1])
        where = f"{offsets} {sizes} {steps} : {typed(shape)} to {typed(result)}"
        self.lines.append(f"{name} = tensor.extract_slice {value}{where}")
        return name, result

    def row_sum(self, value: str, shape: Shape) -> Any:
        """Unite each row, and repeat it."""
        columns = self.random.randint(1, 3)
        rows = (shape[0], 1)
        total, _ = self.unite([(value, typed(shape), "i, k")], "i, j", "i, j, k", rows)
        ins = [(total, typed(rows), "i, 0")]
        return self.unite(ins, "i, j", "i, j", (shape[0], columns))

    def add_row_sum(self, value: str, shape: Shape) -> Any:
        rows = (shape[0], 1)
        total, _ = self.unite([(value, typed(shape), "i, k")], "i, j", "i, j, k", rows)
        ins = [(value, typed(shape), "i, j"), (total, typed(rows), "i, 0")]
        return self.unite(ins, "i, j", "i, j", shape)

    def concat(self, value: str, shape: Shape) -> Any:
        fitting = [(v, s) for v, s in self.values if s[1] == shape[1] and s[0] + shape[0] < 12]
        if not fitting:
            return None
        other, other_shape = self.random.choice(fitting)
        name, result = self.name(), (shape[0] + other_shape[0], shape[1])
        types = f"({typed(shape)}, {typed(other_shape)}) -> {typed(result)}"
        self.lines.append(f"{name} = tensor.concat dim(0) {value}, {other} : {types}")
        return name, result

    def reshape(self, value: str, shape: Shape) -> Any:
        size = prod(shape)
        divisors = [n for n in range(1, size + 1) if size % n == 0]
        rows = self.random.choice(divisors)
        result, flat = (rows, size // rows), f"tensor<{size}xi64>"
        one, two = self.name(), self.name()
        self.lines.append(
            f"{one} = tensor.collapse_shape {value} [[0, 1]] : {typed(shape)} into {flat}"
        )
        self.lines.append(
            f"{two} = tensor.expand_shape {one} [[0, 1]] output_shape [{rows}, {size // rows}] : "
            f"{flat} into {typed(result)}"
        )
        return two, result

    def insert(self, value: str, shape: Shape) -> Any:
        steps = [self.random.randint(1, 2) for _ in shape]
        offsets = [self.random.randint(0, 2) for _ in shape]
        result = (offsets[0] + shape[0] * steps[0], offsets[1] + shape[1] * steps[1])
        into, name = self.zeros(result), self.name()
        where = f"{offsets} {list(shape)} {steps} : {typed(shape)} into {typed(result)}"
        self.lines.append(f"{name} = tensor.insert_slice {value} into {into}{where}")
        return name, result


def typed(shape: Shape) -> str:
    return f"tensor<{shape[0]}x{shape[1]}xi64>"
