"""Writes networks as functions on tensors, one layer after another."""

from itertools import count

Shape = tuple[int, ...]
Value = tuple[str, Shape]


def t(shape: Shape) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Network:
    """Writes a function @main, one layer after another."""

    def __init__(self) -> None:
        self.numbers = count()
        self.arguments: list[Value] = []
        self.lines: list[str] = []

    def argument(self, *shape: int) -> Value:
        value = (f"%a{next(self.numbers)}", shape)
        self.arguments.append(value)
        return value

    def _add(self, text: str, shape: Shape) -> Value:
        name = f"%v{next(self.numbers)}"
        self.lines.append(f"{name} = {text}")
        return name, shape

    def _filled(self, shape: Shape, with_: str = "%zero") -> str:
        empty, _ = self._add(f"tensor.empty() : {t(shape)}", shape)
        fill = f"linalg.fill ins({with_} : f32) outs({empty} : {t(shape)}) -> {t(shape)}"
        return self._add(fill, shape)[0]

    def filled(self, *shape: int) -> Value:
        """Zeros."""
        return self._filled(shape), shape

    def _structured(self, name: str, ins: list[Value], shape: Shape, init: str = "%zero") -> Value:
        out = self._filled(shape, init)
        names, types = ", ".join(v for v, _ in ins), ", ".join(t(s) for _, s in ins)
        return self._add(
            f"{name} ins({names} : {types}) outs({out} : {t(shape)}) -> {t(shape)}", shape
        )

    def pad(self, x: Value, by: int = 1) -> Value:
        n, c, h, w = x[1]
        shape = (n, c, h + 2 * by, w + 2 * by)
        return self._add(
            f"tensor.pad {x[0]} low[0, 0, {by}, {by}] high[0, 0, {by}, {by}] {{\n"
            "^bb0(%i: index, %j: index, %k: index, %l: index):\n tensor.yield %zero : f32\n"
            f"}} : {t(x[1])} to {t(shape)}",
            shape,
        )

    def conv(self, x: Value, features: int, kernel: int = 3, stride: int = 1) -> Value:
        return self.conv_by(x, self.argument(features, x[1][1], kernel, kernel), stride)

    def conv_by(self, x: Value, weight: Value, stride: int = 1) -> Value:
        """A convolution with weights that may be computed."""
        features, _, kernel, _ = weight[1]
        x = self.pad(x) if kernel == 3 else x
        n, _, h, w = x[1]
        shape = (n, features, (h - kernel) // stride + 1, (w - kernel) // stride + 1)
        settings_ = (
            f"dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>"
        )
        return self._structured(f"linalg.conv_2d_nchw_fchw {{{settings_}}}", [x, weight], shape)

    def depthwise(self, x: Value) -> Value:
        n, c, h, w = x[1]
        maps = (
            "affine_map<(n, c, h, w, r, s) -> (n, c, h + r, w + s)>, "
            "affine_map<(n, c, h, w, r, s) -> (c, r, s)>, "
            "affine_map<(n, c, h, w, r, s) -> (n, c, h, w)>"
        )
        weight, x, out = self.argument(c, 3, 3), self.pad(x), self._filled((n, c, h, w))
        kinds = ", ".join(['"parallel"'] * 4 + ['"reduction"'] * 2)
        return self._add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({x[0]}, {weight[0]} : {t(x[1])}, {t(weight[1])}) "
            f"outs({out} : {t((n, c, h, w))}) {{\n"
            "^bb0(%p: f32, %q: f32, %o: f32):\n %m = arith.mulf %p, %q : f32\n"
            f" %z = arith.addf %o, %m : f32\n linalg.yield %z : f32\n}} -> {t((n, c, h, w))}",
            (n, c, h, w),
        )

    def pool(self, x: Value) -> Value:
        window = self._add("tensor.empty() : tensor<2x2xf32>", (2, 2))
        n, c, h, w = x[1]
        settings_ = "dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>"
        name = f"linalg.pooling_nchw_max {{{settings_}}}"
        return self._structured(name, [x, window], (n, c, h // 2, w // 2), "%low")

    def each(self, op: str, *xs: Value) -> Value:
        shape = xs[0][1]
        dims = ", ".join(f"d{i}" for i in range(len(shape)))
        maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (len(xs) + 1))
        kinds = ", ".join(['"parallel"'] * len(shape))
        empty, _ = self._add(f"tensor.empty() : {t(shape)}", shape)
        names, types = ", ".join(v for v, _ in xs), ", ".join(t(s) for _, s in xs)
        second = "%q" if len(xs) == 2 else "%zero"
        block = ", ".join(f"{n}: f32" for n in (*("%p", "%q")[: len(xs)], "%o"))
        return self._add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({names} : {types}) outs({empty} : {t(shape)}) {{\n^bb0({block}):\n"
            f" %z = arith.{op} %p, {second} : f32\n linalg.yield %z : f32\n}} -> {t(shape)}",
            shape,
        )

    def relu(self, x: Value) -> Value:
        return self.each("maximumf", x)

    def matmul(self, x: Value, columns: int) -> Value:
        return self.product(x, self.argument(x[1][1], columns))

    def product(self, x: Value, y: Value) -> Value:
        return self._structured("linalg.matmul", [x, y], (x[1][0], y[1][1]))

    def batch_matmul(self, x: Value, y: Value) -> Value:
        return self._structured("linalg.batch_matmul", [x, y], (*x[1][:2], y[1][2]))

    def concat(self, *parts: Value) -> Value:
        """One behind the other along dimension 1."""
        first, *_ = (shape for _, shape in parts)
        shape = (first[0], sum(part[1] for _, part in parts), *first[2:])
        names = ", ".join(name for name, _ in parts)
        types = ", ".join(t(part) for _, part in parts)
        return self._add(f"tensor.concat dim(1) {names} : ({types}) -> {t(shape)}", shape)

    def reshape(self, x: Value, groups: str, *shape: int) -> Value:
        kind = "expand" if len(shape) > len(x[1]) else "collapse"
        to = f"output_shape {list(shape)} " if kind == "expand" else ""
        types = f"{t(x[1])} into {t(shape)}"
        return self._add(f"tensor.{kind}_shape {x[0]} {groups} {to}: {types}", shape)

    def transpose(self, x: Value, *permutation: int) -> Value:
        shape = tuple(x[1][d] for d in permutation)
        out, _ = self._add(f"tensor.empty() : {t(shape)}", shape)
        name = self._add(
            f"linalg.transpose ins({x[0]} : {t(x[1])}) outs({out} : {t(shape)}) "
            f"permutation = {list(permutation)}",
            shape,
        )
        return name

    def part(self, x: Value, first: int) -> Value:
        """One index of the first dimension."""
        shape = (1, *x[1][1:])
        offsets, ones = [first, *[0] * len(shape[1:])], [1] * len(shape)
        return self._add(
            f"tensor.extract_slice {x[0]}{offsets} {list(shape)} {ones} : {t(x[1])} to {t(shape)}",
            shape,
        )

    def slice_of(self, x: Value, offsets: list[int], sizes: list[int], step: int = 1) -> Value:
        shape, steps = tuple(sizes), [step] * len(sizes)
        types = f"{t(x[1])} to {t(shape)}"
        return self._add(f"tensor.extract_slice {x[0]}{offsets} {sizes} {steps} : {types}", shape)

    def text(self, *results: Value) -> str:
        arguments = ", ".join(f"{name}: {t(shape)}" for name, shape in self.arguments)
        types = ", ".join(t(shape) for _, shape in results)
        body = "\n".join(self.lines)
        names = ", ".join(name for name, _ in results)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n%zero = arith.constant 0.0 : f32\n"
            f"%low = arith.constant -1.0e30 : f32\n{body}\nfunc.return {names} : {types}\n}}"
        )
