"""Blocks of networks that merge the places of an image: attention in windows, products of pixels.

They are written as front ends write them: a linear layer is a product of matrices whose rows are
all places, windows are numbered, and heads are merged with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

Value = tuple[str, tuple[int, ...]]
"""The name of a tensor, and its shape."""


def _type(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, [*shape, 'f32']))}>"


def _map(rank: int, dims: Sequence[int]) -> str:
    loops = ", ".join(f"d{d}" for d in range(rank))
    return f"affine_map<({loops}) -> ({', '.join(f'd{d}' for d in dims)})>"


@dataclass
class _Program:
    arguments: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])

    def argument(self, *shape: int) -> Value:
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {_type(shape)}")
        return name, shape

    def add(self, text: str, shape: Sequence[int]) -> Value:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name, tuple(shape)

    def room(self, shape: Sequence[int], start: str | None = None) -> str:
        room, _ = self.add(f"tensor.empty() : {_type(shape)}", shape)
        if start is None:
            return room
        types = f"({start} : f32) outs({room} : {_type(shape)}) -> {_type(shape)}"
        return self.add(f"linalg.fill ins{types}", shape)[0]

    def generic(
        self, reads: Sequence[tuple[Value, Sequence[int]]], body: str, sum_from: str | None = None
    ) -> Value:
        """Elementwise over the first operand, or with `sum_from` a sum over its last dimension."""
        _, loops = reads[0][0]
        rank = len(loops)
        shape = loops if sum_from is None else loops[:-1]
        maps = ", ".join(_map(rank, dims) for dims in [*(d for _, d in reads), range(len(shape))])
        kinds = ['"parallel"'] * len(shape) + ['"reduction"'] * (rank - len(shape))
        names = ", ".join(f"%x{i}: f32" for i in range(len(reads)))
        operands = ", ".join(name for (name, _), _ in reads)
        types = ", ".join(_type(of) for (_, of), _ in reads)
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{', '.join(kinds)}]}} "
            f"ins({operands} : {types}) outs({self.room(shape, sum_from)} : {_type(shape)}) {{\n"
            f"^bb0({names}, %y: f32):\n{body}\nlinalg.yield %r : f32\n}} -> {_type(shape)}",
            shape,
        )

    def each(self, body: str, *values: Value) -> Value:
        """Elementwise; operands of fewer dimensions have the last ones, but for those marked."""
        rank = len(values[0][1])
        return self.generic([(v, range(rank - len(v[1]), rank)) for v in values], body)

    def plus(self, one: Value, other: Value) -> Value:
        return self.each("%r = arith.addf %x0, %x1 : f32", one, other)

    def over_last(self, value: Value, operation: str, start: str) -> Value:
        body = f"%r = arith.{operation} %x0, %y : f32"
        return self.generic([(value, range(len(value[1])))], body, start)

    def with_last(self, value: Value, of_rows: Value, body: str) -> Value:
        rank = len(value[1])
        return self.generic([(value, range(rank)), (of_rows, range(rank - 1))], body)

    def norm(self, value: Value) -> Value:
        size = f"%n = arith.constant {value[1][-1]}.0 : f32\n%m = arith.divf %x1, %n : f32\n"
        mean = self.over_last(value, "addf", "%zero")
        apart = self.with_last(value, mean, f"{size}%r = arith.subf %x0, %m : f32")
        squares = self.each("%r = arith.mulf %x0, %x0 : f32", apart)
        variance = self.over_last(squares, "addf", "%zero")
        body = "%s = math.rsqrt %m : f32\n%r = arith.mulf %x0, %s : f32"
        normal = self.with_last(apart, variance, size + body)
        scaled = self.each("%r = arith.mulf %x0, %x1 : f32", normal, self.argument(value[1][-1]))
        return self.plus(scaled, self.argument(value[1][-1]))

    def softmax(self, value: Value) -> Value:
        top = self.over_last(value, "maximumf", "%least")
        body = "%d = arith.subf %x0, %x1 : f32\n%r = math.exp %d : f32"
        powers = self.with_last(value, top, body)
        total = self.over_last(powers, "addf", "%zero")
        return self.with_last(powers, total, "%r = arith.divf %x0, %x1 : f32")

    def reshape(self, value: Value, *shape: int) -> Value:
        name, old = value
        fine, coarse = (shape, old) if len(shape) > len(old) else (old, shape)
        groups: list[list[int]] = []
        at = 0
        for extent in coarse:
            group = [at]
            while prod(fine[group[0] : group[-1] + 1]) < extent:
                group.append(group[-1] + 1)
            groups.append(group)
            at = group[-1] + 1
        groups[-1] += range(at, len(fine))
        types = f"{_type(old)} into {_type(shape)}"
        if fine is shape:
            return self.add(
                f"tensor.expand_shape {name} {groups} output_shape {[*shape]} : {types}", shape
            )
        return self.add(f"tensor.collapse_shape {name} {groups} : {types}", shape)

    def transpose(self, value: Value, *order: int) -> Value:
        name, old = value
        shape = [old[d] for d in order]
        outs = f"outs({self.room(shape)} : {_type(shape)}) permutation = {[*order]}"
        return self.add(f"linalg.transpose ins({name} : {_type(old)}) {outs}", shape)

    def product(self, one: Value, other: Value, name: str = "matmul") -> Value:
        shape = (*one[1][:-1], other[1][-1])
        types = f"{_type(one[1])}, {_type(other[1])}"
        outs = f"outs({self.room(shape, '%zero')} : {_type(shape)}) -> {_type(shape)}"
        return self.add(f"linalg.{name} ins({one[0]}, {other[0]} : {types}) {outs}", shape)

    def linear(self, value: Value, features: int) -> Value:
        *places, channels = value[1]
        rows = self.reshape(value, prod(places), channels)
        made = self.product(rows, self.argument(channels, features))
        return self.reshape(made, *places, features)

    def slice(self, value: Value, offsets: Sequence[int], sizes: Sequence[int]) -> Value:
        where = f"{[*offsets]} {[*sizes]} {[1] * len(sizes)}"
        types = f"{_type(value[1])} to {_type(sizes)}"
        return self.add(f"tensor.extract_slice {value[0]}{where} : {types}", sizes)

    def roll(self, value: Value, dim: int, by: int) -> Value:
        shape = value[1]
        head, tail = ([by if d == dim else n for d, n in enumerate(shape)], [*shape])
        tail[dim] -= by
        after = self.slice(value, [by if d == dim else 0 for d in range(len(shape))], tail)
        before = self.slice(value, [0] * len(shape), head)
        parts = f"{after[0]}, {before[0]} : ({_type(after[1])}, {_type(before[1])})"
        return self.add(f"tensor.concat dim({dim}) {parts} -> {_type(shape)}", shape)

    def gelu(self, value: Value) -> Value:
        body = "%e = math.erf %x0 : f32\n%r = arith.mulf %x0, %e : f32"
        return self.each(body, value)

    def text(self, result: Value) -> str:
        body = "\n".join(self.lines)
        return (
            f"func.func @main({', '.join(self.arguments)}) -> {_type(result[1])} {{\n"
            "%zero = arith.constant 0.0 : f32\n%least = arith.constant 0xFF800000 : f32\n"
            f"{body}\nreturn {result[0]} : {_type(result[1])}\n}}\n"
        )


def attention_in_windows(
    image: tuple[int, int, int, int],
    heads: int,
    side: int,
    blocks: int = 2,
    *,
    tokens: bool = False,
) -> str:
    """Blocks of a Swin Transformer on ``image`` (batch, rows, columns, channels).

    Every second one shifts the image by half a window. With ``tokens`` the image comes and goes
    with its places merged, as in other implementations.
    """
    program = _Program()
    batch, rows, columns, channels = image
    high, wide, places, width = rows // side, columns // side, side * side, channels // heads
    windows = batch * high * wide
    shape = (batch, rows * columns, channels) if tokens else image
    x = program.argument(*shape)
    for block in range(blocks):
        y = program.norm(x)
        if tokens:
            y = program.reshape(y, *image)
        if block % 2:
            y = program.roll(program.roll(y, 1, side // 2), 2, side // 2)
        y = program.reshape(y, batch, high, side, wide, side, channels)
        y = program.transpose(y, 0, 1, 3, 2, 4, 5)
        y = program.linear(program.reshape(y, windows, places, channels), 3 * channels)
        y = program.transpose(program.reshape(y, windows, places, 3, heads, width), 2, 0, 3, 1, 4)
        query, key, value = (
            program.reshape(
                program.slice(y, [n, 0, 0, 0, 0], [1, windows, heads, places, width]),
                windows * heads,
                places,
                width,
            )
            for n in range(3)
        )
        scores = program.product(query, program.transpose(key, 0, 2, 1), "batch_matmul")
        scores = program.reshape(scores, windows, heads, places, places)
        scores = program.softmax(program.plus(scores, program.argument(heads, places, places)))
        scores = program.reshape(scores, windows * heads, places, places)
        y = program.product(scores, value, "batch_matmul")
        y = program.transpose(program.reshape(y, windows, heads, places, width), 0, 2, 1, 3)
        y = program.linear(program.reshape(y, windows, places, channels), channels)
        y = program.reshape(y, batch, high, wide, side, side, channels)
        y = program.reshape(program.transpose(y, 0, 1, 3, 2, 4, 5), *image)
        if block % 2:
            back = side - side // 2
            y = program.roll(program.roll(y, 1, rows - side + back), 2, columns - side + back)
        x = program.plus(x, program.reshape(y, *shape) if tokens else y)
        x = program.plus(x, _two_layers(program, program.norm(x)))
    return program.text(x)


def products_of_pixels(image: tuple[int, int, int, int], blocks: int = 2) -> str:
    """Blocks of a ConvNeXt on ``image`` (batch, channels, rows, columns)."""
    program = _Program()
    batch, channels, rows, columns = image
    x = program.argument(*image)
    for _ in range(blocks):
        padded = (batch, channels, rows + 6, columns + 6)
        border = (
            f"tensor.pad {x[0]} low[0, 0, 3, 3] high[0, 0, 3, 3] {{\n"
            "^bb0(%b: index, %c: index, %i: index, %j: index):\ntensor.yield %zero : f32\n"
            f"}} : {_type(image)} to {_type(padded)}"
        )
        inside = program.add(border, padded)
        filters = program.argument(channels, 7, 7)
        convolved = program.add(
            "linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, "
            "strides = dense<1> : tensor<2xi64>} "
            f"ins({inside[0]}, {filters[0]} : {_type(padded)}, {_type(filters[1])}) "
            f"outs({program.room(image, '%zero')} : {_type(image)}) -> {_type(image)}",
            image,
        )
        y = program.norm(program.transpose(convolved, 0, 2, 3, 1))
        x = program.plus(x, program.transpose(_two_layers(program, y), 0, 3, 1, 2))
    return program.text(x)


def _two_layers(program: _Program, value: Value) -> Value:
    channels = value[1][-1]
    return program.linear(program.gelu(program.linear(value, 4 * channels)), channels)
