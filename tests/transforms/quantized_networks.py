"""Random networks of bytes: 32-bit sums, which the next operation makes bytes again."""

from itertools import count
from random import Random

Shape = tuple[int, ...]
Value = tuple[str, Shape]


def typed(shape: Shape, element: str = "i8") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class QuantizedNetwork:
    """Writes a function @main, one layer after another. Activations are N x H x W x C."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.numbers = count()
        self.arguments: list[tuple[str, str]] = []
        self.lines: list[str] = []
        self.shapes: list[Shape] = []

    def argument(self, shape: Shape, element: str = "i8") -> Value:
        name = f"%a{next(self.numbers)}"
        self.arguments.append((name, typed(shape, element)))
        self.shapes.append(shape)
        return name, shape

    def layer(self, x: Value) -> Value:
        """A convolution, or one for each feature, perhaps with what it read added to it."""
        c = x[1][3]
        if self.random.random() < 0.4:
            return self.narrowed(self.depthwise(x), "i8")
        features = self.random.choice([c, 8, 17, 24, 40])
        sums = self.convolution(x, features, self.random.choice([1, 3]))
        other = x if features == c and self.random.random() < 0.5 else None
        return self.narrowed(sums, self.random.choice(["i8", "i8", "i16"]), other)

    def padded(self, x: Value) -> Value:
        n, h, w, c = x[1]
        shape = (n, h + 2, w + 2, c)
        return self._add(
            f"tensor.pad {x[0]} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n"
            "^bb0(%i: index, %j: index, %k: index, %l: index):\n tensor.yield %low : i8\n"
            f"}} : {typed(x[1])} to {typed(shape)}",
            shape,
        )

    def convolution(self, x: Value, features: int, kernel: int) -> Value:
        """Sums that start with a bias."""
        weight = self.argument((features, kernel, kernel, x[1][3]))
        bias = self.argument((features,), "i32")
        n, h, w, _ = x[1]
        x = self.padded(x) if kernel == 3 else x
        shape = (n, h, w, features)
        start = self._each([(bias, "i32", "d3")], shape, "i32", "linalg.yield %p0 : i32")
        return self._add(
            "linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<1> : tensor<2xi64>}} ins({x[0]}, {weight[0]} : {typed(x[1])}, "
            f"{typed(weight[1])}) outs({start[0]} : {typed(shape, 'i32')}) -> "
            f"{typed(shape, 'i32')}",
            shape,
        )

    def depthwise(self, x: Value) -> Value:
        """Sums with a dimension too many, which a reshape takes away."""
        n, h, w, c = x[1]
        weight, x = self.argument((3, 3, c, 1)), self.padded(x)
        shape = (n, h, w, c, 1)
        empty = self._add(f"tensor.empty() : {typed(shape, 'i32')}", shape)
        out = typed(shape, "i32")
        fill = self._add(f"linalg.fill ins(%zero : i32) outs({empty[0]} : {out}) -> {out}", shape)
        sums = self._add(
            "linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<1> : tensor<2xi64>}} ins({x[0]}, {weight[0]} : {typed(x[1])}, "
            f"{typed(weight[1])}) outs({fill[0]} : {out}) -> {out}",
            shape,
        )
        flat = typed(shape[:4], "i32")
        return self._add(
            f"tensor.collapse_shape {sums[0]} [[0], [1], [2], [3, 4]] : {out} into {flat}",
            shape[:4],
        )

    def narrowed(self, sums: Value, element: str, other: Value | None = None) -> Value:
        """Sums scaled by feature, with what may be added, as bytes; by way of 16 bits at times."""
        scale = self.argument(sums[1][3:], "i32")
        body = "%m = arith.muli %p0, %p1 : i32\n %s = arith.shrsi %m, %five : i32\n"
        ins = [(sums, "i32", "d0, d1, d2, d3"), (scale, "i32", "d3")]
        if other is not None:
            ins.append((other, "i8", "d0, d1, d2, d3"))
            body += " %e = arith.extsi %p2 : i8 to i32\n %t = arith.addi %s, %e : i32\n"
        last = "%s" if other is None else "%t"
        body += f" %z = arith.trunci {last} : i32 to {element}\n linalg.yield %z : {element}"
        made = self._each(ins, sums[1], element, body)
        if element == "i8":
            return made
        less = "%z = arith.trunci %p0 : i16 to i8\n linalg.yield %z : i8"
        return self._each([(made, "i16", "d0, d1, d2, d3")], made[1], "i8", less)

    def _each(
        self, ins: list[tuple[Value, str, str]], shape: Shape, element: str, body: str
    ) -> Value:
        out = self._add(f"tensor.empty() : {typed(shape, element)}", shape)
        dims = "d0, d1, d2, d3"
        maps = ", ".join(f"affine_map<({dims}) -> ({to})>" for to in (*(m for *_, m in ins), dims))
        kinds = ", ".join(['"parallel"'] * 4)
        types = ", ".join(typed(value[1], kind) for value, kind, _ in ins)
        block = [f"%p{k}: {kind}" for k, (_, kind, _) in enumerate(ins)]
        return self._add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(value[0] for value, *_ in ins)} : {types}) "
            f"outs({out[0]} : {typed(shape, element)}) {{\n"
            f"^bb0({', '.join([*block, f'%o: {element}'])}):\n {body}\n"
            f"}} -> {typed(shape, element)}",
            shape,
        )

    def _add(self, text: str, shape: Shape) -> Value:
        name = f"%v{next(self.numbers)}"
        self.lines.append(f"{name} = {text}")
        return name, shape

    def text(self, result: Value) -> str:
        arguments = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments)
        body = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> {typed(result[1])} {{\n"
            "%zero = arith.constant 0 : i32\n%five = arith.constant 5 : i32\n"
            f"%low = arith.constant -3 : i8\n{body}\n"
            f"func.return {result[0]} : {typed(result[1])}\n}}"
        )


def quantized_network(seed: int, layers: int) -> str:
    """A function of some layers, the same for the same seed."""
    network = QuantizedNetwork(seed)
    random = network.random
    x = network.argument((1, random.randint(3, 8), random.randint(3, 6), random.choice([3, 9, 16])))
    for _ in range(layers):
        x = network.layer(x)
    return network.text(x)
