"""Random convolutional networks with what real ones have beside convolutions."""

from collections.abc import Callable
from math import prod
from random import Random

from tests.transforms.networks import Network, Shape, Value, t

_MOST_ELEMENTS = 1200


def _maps(*results: str) -> str:
    return ", ".join(f"affine_map<(n, c, h, w) -> ({to})>" for to in results)


class RandomNetwork(Network):
    """Layers that read what layers before have made. Activations have the shape N x C x H x W."""

    most_elements = _MOST_ELEMENTS

    def __init__(self, seed: int, batch: int = 1) -> None:
        super().__init__()
        self.random = Random(seed)
        shape = (
            batch,
            self.random.randint(1, 3),
            self.random.randint(6, 12),
            self.random.randint(4, 9),
        )
        self.activations = [self.argument(*shape)]

    def layer(self) -> None:
        """Add a layer that fits what there is, or none."""
        kinds: list[Callable[[Value], Value | None]] = [
            self._convolution,
            self._convolution,
            self._grouped,
            self._depthwise_layer,
            self._pooling,
            self._sum_pooling,
            self._residual,
            self._joined,
            self._channels,
            self._normalized,
            self.squeezed,
            self._transposed_convolution,
            self._upsampled,
            self._softmax,
            self._other_border,
            self._turned,
            self._neighbours,
        ]
        x = self.random.choice(self.activations[-3:])
        made = self.random.choice(kinds)(x)
        if made is not None and 0 < prod(made[1]) <= self.most_elements:
            self.activations.append(made)

    def finish(self) -> str:
        """The function, which returns the last activation and perhaps others."""
        results = [self.activations[-1]]
        if self.random.random() < 0.3:
            results.append(self.random.choice(self.activations))
        if self.random.random() < 0.4:
            n, c, h, w = results[0][1]
            flat = self.reshape(results[0], "[[0], [1, 2, 3]]", n, c * h * w)
            results[0] = self.matmul(flat, self.random.randint(1, 8))
        return self.text(*results)

    def _generic(
        self, ins: list[Value], maps: str, shape: Shape, body: str, out: str = ""
    ) -> Value:
        names, types = ", ".join(v for v, _ in ins), ", ".join(t(s) for _, s in ins)
        is_sum = "reduction" in out
        target = (
            self._filled(shape) if is_sum else self._add(f"tensor.empty() : {t(shape)}", shape)[0]
        )
        kinds = out or ", ".join(['"parallel"'] * 4)
        block = ", ".join(f"{n}: f32" for n in (*("%p", "%q", "%r")[: len(ins)], "%o"))
        return self._add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({names} : {types}) outs({target} : {t(shape)}) {{\n^bb0({block}):\n"
            f"{body}\n linalg.yield %z : f32\n}} -> {t(shape)}",
            shape,
        )

    def _maybe_relu(self, x: Value) -> Value:
        return self.relu(x) if self.random.random() < 0.6 else x

    def _bias(self, shape: Shape) -> str:
        """What a convolution starts with: zeros, or a bias for each channel."""
        if self.random.random() < 0.5:
            return self._filled(shape)
        bias = self.argument(shape[1])
        out, _ = self._add(f"tensor.empty() : {t(shape)}", shape)
        types = f"ins({bias[0]} : {t(bias[1])}) outs({out} : {t(shape)})"
        return self._add(f"linalg.broadcast {types} dimensions = [0, 2, 3]", shape)[0]

    def _convolved(self, x: Value, features: int, kernel: int, stride: int, dilation: int) -> Value:
        n, c, h, w = x[1]
        reach = dilation * (kernel - 1)
        shape = (n, features, (h - reach - 1) // stride + 1, (w - reach - 1) // stride + 1)
        weight = self.argument(features, c, kernel, kernel)
        settings = (
            f"dilations = dense<{dilation}> : vector<2xi64>, "
            f"strides = dense<{stride}> : vector<2xi64>"
        )
        ins = f"ins({x[0]}, {weight[0]} : {t(x[1])}, {t(weight[1])})"
        outs = f"outs({self._bias(shape)} : {t(shape)})"
        return self._add(
            f"linalg.conv_2d_nchw_fchw {{{settings}}} {ins} {outs} -> {t(shape)}", shape
        )

    def _convolution(self, x: Value) -> Value | None:
        pick = self.random
        kernel, stride, dilation = (
            pick.choice([1, 3, 3]),
            pick.choice([1, 1, 2]),
            pick.choice([1, 1, 2]),
        )
        by = pick.choice([0, dilation * (kernel // 2)])
        if by:
            x = self.pad(x, by)
        if min(x[1][2:]) <= dilation * (kernel - 1):
            return None
        return self._maybe_relu(self._convolved(x, pick.randint(1, 5), kernel, stride, dilation))

    def _grouped(self, x: Value) -> Value | None:
        n, c, h, w = x[1]
        if c % 2 or min(h, w) < 2:
            return None
        x = self.reshape(self.pad(x), "[[0], [1, 2], [3], [4]]", n, 2, c // 2, h + 2, w + 2)
        features = self.random.randint(1, 3)
        weight = self.argument(2, features, c // 2, 3, 3)
        settings = "dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>"
        name = f"linalg.conv_2d_ngchw_gfchw {{{settings}}}"
        made = self._structured(name, [x, weight], (n, 2, features, h, w))
        return self._maybe_relu(
            self.reshape(made, "[[0], [1, 2], [3], [4]]", n, 2 * features, h, w)
        )

    def _depthwise_layer(self, x: Value) -> Value:
        return self._maybe_relu(self.depthwise(x))

    def _pooling(self, x: Value) -> Value | None:
        return self.pool(x) if min(x[1][2:]) >= 2 else None

    def _sum_pooling(self, x: Value) -> Value | None:
        x = self.pad(x)
        n, c, h, w = x[1]
        window = self._add("tensor.empty() : tensor<3x3xf32>", (3, 3))
        stride = self.random.choice([1, 2])
        settings = (
            f"dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>"
        )
        name = f"linalg.pooling_nchw_sum {{{settings}}}"
        shape = (n, c, (h - 3) // stride + 1, (w - 3) // stride + 1)
        return self._structured(name, [x, window], shape)

    def _residual(self, x: Value) -> Value | None:
        others = [y for y in self.activations if y[1] == x[1]]
        return self.each(self.random.choice(["addf", "mulf"]), x, self.random.choice(others))

    def _joined(self, x: Value) -> Value | None:
        others = [y for y in self.activations if y[1][2:] == x[1][2:]]
        return self.concat(x, self.random.choice(others))

    def _channels(self, x: Value) -> Value | None:
        n, c, h, w = x[1]
        if c < 2:
            return None
        count = self.random.randint(1, c - 1)
        first = self.random.randint(0, c - count)
        shape = (n, count, h, w)
        at = f"[0, {first}, 0, 0] {list(shape)} [1, 1, 1, 1]"
        return self._add(f"tensor.extract_slice {x[0]}{at} : {t(x[1])} to {t(shape)}", shape)

    def _normalized(self, x: Value) -> Value:
        scale, shift = self.argument(x[1][1]), self.argument(x[1][1])
        maps = _maps("n, c, h, w", "c", "c", "n, c, h, w")
        body = " %m = arith.mulf %p, %q : f32\n %z = arith.addf %m, %r : f32"
        return self._generic([x, scale, shift], maps, x[1], body)

    def squeezed(self, x: Value) -> Value:
        """Channels are weighed by their means, which every tile needs."""
        n, c, _, _ = x[1]
        kinds = '"parallel", "parallel", "reduction", "reduction"'
        body = " %z = arith.addf %p, %o : f32"
        sums = self._generic([x], _maps("n, c, h, w", "n, c"), (n, c), body, kinds)
        gates = self.relu(self.matmul(sums, c))
        maps = _maps("n, c, h, w", "n, c", "n, c, h, w")
        return self._generic([x, gates], maps, x[1], " %z = arith.mulf %p, %q : f32")

    def _transposed_convolution(self, x: Value) -> Value:
        n, c, h, w = x[1]
        shape = (n, c, 2 * h + 1, 2 * w + 1)
        at = f"[0, 0, 1, 1] {list(x[1])} [1, 1, 2, 2]"
        types = f"{t(x[1])} into {t(shape)}"
        wide = self._add(
            f"tensor.insert_slice {x[0]} into {self._filled(shape)}{at} : {types}", shape
        )
        return self._convolved(wide, self.random.randint(1, 3), 3, 1, 1)

    def _upsampled(self, x: Value) -> Value:
        n, c, h, w = x[1]
        shape = (n, c, 2 * h, 2 * w)
        out = self._add(f"tensor.empty() : {t(shape)}", shape)[0]
        index = "\n".join(f" %{d} = linalg.index {i} : index" for i, d in enumerate("nchw"))
        kinds = ", ".join(['"parallel"'] * 4)
        return self._add(
            f"linalg.generic {{indexing_maps = [{_maps('n, c, h, w')}], "
            f"iterator_types = [{kinds}]}} outs({out} : {t(shape)}) {{\n^bb0(%o: f32):\n{index}\n"
            " %two = arith.constant 2 : index\n"
            " %i = arith.divsi %h, %two : index\n %j = arith.divsi %w, %two : index\n"
            f" %z = tensor.extract {x[0]}[%n, %c, %i, %j] : {t(x[1])}\n"
            f" linalg.yield %z : f32\n}} -> {t(shape)}",
            shape,
        )

    def _softmax(self, x: Value) -> Value:
        """Along the rows, without the exponential function."""
        n, c, h, _ = x[1]
        kinds = '"parallel", "parallel", "parallel", "reduction"'
        body = " %z = arith.addf %p, %o : f32"
        sums = self._generic([x], _maps("n, c, h, w", "n, c, h"), (n, c, h), body, kinds)
        maps = _maps("n, c, h, w", "n, c, h", "n, c, h, w")
        return self._generic([x, sums], maps, x[1], " %z = arith.subf %p, %q : f32")

    def _other_border(self, x: Value) -> Value:
        """A border on some sides only."""
        low, high = ([0, 0, *(self.random.randint(0, 2) for _ in "hw")] for _ in "lh")
        shape = tuple(a + b + c for a, b, c in zip(low, x[1], high, strict=True))
        if shape == x[1]:
            return self.relu(x)
        return self._add(
            f"tensor.pad {x[0]} low{low} high{high} {{\n"
            "^bb0(%i: index, %j: index, %k: index, %l: index):\n %half = arith.constant 0.5 : f32\n"
            " tensor.yield %half : f32\n"
            f"}} : {t(x[1])} to {t(shape)}",
            shape,
        )

    def _turned(self, x: Value) -> Value:
        return self.transpose(x, *self.random.choice([(0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 1, 2)]))

    def _neighbours(self, x: Value) -> Value:
        """Each element with the first of its row, which is looked up."""
        body = (
            "\n".join(f" %{d} = linalg.index {i} : index" for i, d in enumerate("nch"))
            + "\n %first = arith.constant 0 : index\n"
            + f" %q = tensor.extract {x[0]}[%n, %c, %h, %first] : {t(x[1])}\n"
            + " %z = arith.subf %p, %q : f32"
        )
        return self._generic([x], _maps("n, c, h, w", "n, c, h, w"), x[1], body)


def random_network(seed: int, layers: int, batch: int = 1) -> str:
    """A function `@main` of about `layers` layers, the same for the same seed."""
    network = RandomNetwork(seed, batch)
    for _ in range(layers):
        network.layer()
    return network.finish()
