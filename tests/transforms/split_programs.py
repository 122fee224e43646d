"""Programs as a splitting compiler would write them, by hand, beside the whole programs.

Two convolutions of 3x3 with a padded border, over 16 rows cut into tiles of 4. A window is the two
rows that the tile before has computed, and new ones. Rows of the padded tensors, tile by tile:

| tile | window of x | new rows of x | window of h | new rows of h | rows of y |
|---|---|---|---|---|---|
| 0 | 0-6 | 0-5 after a border | 0-5 | 0-4 after a border | 0-3 |
| 1, 2 | 4k+1 to 4k+6 | 4k+2 to 4k+5 | 4k to 4k+5 | 4k+1 to 4k+4 | 4k to 4k+3 |
| 3 | 13-17 | 14, 15 before a border | 12-17 | 13-15 before a border | 12-15 |
"""

from dataclasses import dataclass, field

X, W1, W2 = (1, 3, 16, 12), (8, 3, 3, 3), (4, 8, 3, 3)
H, Y = (1, 8, 16, 12), (1, 4, 16, 12)


Shape = tuple[int, ...]


def t(shape: Shape) -> str:
    """The type of a tensor of f32."""
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _rows(at: object, part: Shape) -> str:
    return f"[0, 0, {at}, 0] {list(part)} [1, 1, 1, 1]"


@dataclass
class Writer:
    """Lines of IR; every name is used once."""

    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self) -> str:
        """A new SSA name."""
        self.count += 1
        return f"%v{self.count}"

    def __call__(self, text: str) -> str:
        """Write one operation and return its name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def fill(self, shape: Shape) -> str:
        """Zeros."""
        empty = self(f"tensor.empty() : {t(shape)}")
        return self(f"linalg.fill ins(%zero : f32) outs({empty} : {t(shape)}) -> {t(shape)}")

    def conv(self, x: str, w: str, shape_x: Shape, shape_w: Shape) -> str:
        """A convolution of 3x3 with stride 1, and ReLU."""
        result = (1, shape_w[0], shape_x[2] - 2, shape_x[3] - 2)
        c = self(
            "linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<1> : tensor<2xi64>}} ins({x}, {w} : {t(shape_x)}, {t(shape_w)}) "
            f"outs({self.fill(result)} : {t(result)}) -> {t(result)}"
        )
        return self.relu(c, result)

    def relu(self, x: str, shape: Shape) -> str:
        """The larger of each element and 0."""
        empty = self(f"tensor.empty() : {t(shape)}")
        names = ", ".join("abcd"[: len(shape)])
        same = f"affine_map<({names}) -> ({names})>"
        parallel = ", ".join(['"parallel"'] * len(shape))
        return self(
            f"linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{parallel}]}} "
            f"ins({x} : {t(shape)}) outs({empty} : {t(shape)}) {{\n"
            "^bb0(%in: f32, %out: f32):\n  %m = arith.maximumf %in, %zero : f32\n"
            f"  linalg.yield %m : f32\n}} -> {t(shape)}"
        )

    def matmul(self, a: str, b: str, shape_a: Shape, shape_b: Shape, outs: str) -> str:
        """The product, added to `outs`."""
        result = (shape_a[0], shape_b[1])
        return self(
            f"linalg.matmul ins({a}, {b} : {t(shape_a)}, {t(shape_b)}) "
            f"outs({outs} : {t(result)}) -> {t(result)}"
        )

    def pad(self, x: str, shape: Shape, low: int, high: int) -> str:
        """Zeros left and right, `low` rows above and `high` below."""
        result = (*shape[:2], shape[2] + low + high, shape[3] + 2)
        return self(
            f"tensor.pad {x} low[0, 0, {low}, 1] high[0, 0, {high}, 1] {{\n"
            "^bb0(%b0: index, %b1: index, %b2: index, %b3: index):\n"
            f"  tensor.yield %zero : f32\n}} : {t(shape)} to {t(result)}"
        )

    def concat(self, a: str, b: str, one: Shape, other: Shape) -> str:
        """Rows of `a` above those of `b`."""
        result = (*one[:2], one[2] + other[2], one[3])
        return self(f"tensor.concat dim(2) {a}, {b} : ({t(one)}, {t(other)}) -> {t(result)}")

    def load(self, x: str, whole: Shape, at: str, part: Shape) -> str:
        """The rows of `x` from `at`."""
        return self(f"memplan.load {x}{_rows(at, part)} : {t(whole)} to {t(part)}")

    def extract(self, x: str, whole: Shape, at: str, part: Shape) -> str:
        """The rows of `x` from `at`, as a view."""
        return self(f"tensor.extract_slice {x}{_rows(at, part)} : {t(whole)} to {t(part)}")

    def carry(self, x: str, whole: Shape, at: int, part: Shape) -> str:
        """A copy of rows of `x`."""
        return self(f"memplan.carry {x}{_rows(at, part)} : {t(whole)} to {t(part)}")

    def store(self, x: str, d: str, at: str, part: Shape, whole: Shape) -> str:
        """Replace rows of `d`."""
        region = _rows(at, part)
        return self(f"memplan.store {x} into {d}{region} to @DDR : {t(part)} into {t(whole)}")

    def insert(self, x: str, d: str, at: str, part: Shape, whole: Shape) -> str:
        """Replace rows of `d`, on chip."""
        return self(
            f"tensor.insert_slice {x} into {d}{_rows(at, part)} : {t(part)} into {t(whole)}"
        )

    def text(self, arguments: str, result: str, type: str) -> str:
        """The function."""
        body = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> {type} {{\n%zero = arith.constant 0.0 : f32\n{body}\n"
            f"func.return {result} : {type}\n}}\n"
        )


CONV_ARGUMENTS = f"%x: {t(X)}, %w1: {t(W1)}, %w2: {t(W2)}"


def whole_convolutions() -> str:
    """conv, ReLU, pad, conv, ReLU on all rows."""
    w = Writer()
    h = w.conv(w.pad("%x", X, 1, 1), "%w1", (1, 3, 18, 14), W1)
    y = w.conv(w.pad(h, H, 1, 1), "%w2", (1, 8, 18, 14), W2)
    return w.text(CONV_ARGUMENTS, y, t(Y))


def split_convolutions(*, loop: bool, stage: bool) -> str:
    """The same by tiles of rows, with the overlaps carried over.

    With `stage`, arguments and results are off chip; otherwise slices are views.
    """
    w = Writer()
    fetch, put = (w.load, w.store) if stage else (w.extract, w.insert)
    w1, w2 = "%w1", "%w2"
    if stage:
        w1, w2 = (w.load(a, s, "0", s) for a, s in ((w1, W1), (w2, W2)))
    acc = w(f"tensor.empty() : {t(Y)}")
    # Tile 0.
    new = w.pad(fetch("%x", X, "0", (1, 3, 6, 12)), (1, 3, 6, 12), 1, 0)
    ov_x = w.carry(new, (1, 3, 7, 14), 5, (1, 3, 2, 14))
    h = w.pad(w.conv(new, w1, (1, 3, 7, 14), W1), (1, 8, 5, 12), 1, 0)
    ov_h = w.carry(h, (1, 8, 6, 14), 4, (1, 8, 2, 14))
    y = w.conv(h, w2, (1, 8, 6, 14), W2)
    acc = put(y, acc, "0", (1, 4, 4, 12), Y)

    def inner(x_at: str, y_at: str, ov_x: str, ov_h: str, acc: str) -> tuple[str, str, str]:
        new = w.pad(fetch("%x", X, x_at, (1, 3, 4, 12)), (1, 3, 4, 12), 0, 0)
        x = w.concat(ov_x, new, (1, 3, 2, 14), (1, 3, 4, 14))
        ov_x = w.carry(x, (1, 3, 6, 14), 4, (1, 3, 2, 14))
        new = w.pad(w.conv(x, w1, (1, 3, 6, 14), W1), (1, 8, 4, 12), 0, 0)
        h = w.concat(ov_h, new, (1, 8, 2, 14), (1, 8, 4, 14))
        ov_h = w.carry(h, (1, 8, 6, 14), 4, (1, 8, 2, 14))
        y = w.conv(h, w2, (1, 8, 6, 14), W2)
        return ov_x, ov_h, put(y, acc, y_at, (1, 4, 4, 12), Y)

    if loop:
        c1, c2, c3, c4 = (w(f"arith.constant {n} : index") for n in (1, 2, 3, 4))
        types = f"{t((1, 3, 2, 14))}, {t((1, 8, 2, 14))}, {t(Y)}"
        name = w.name()
        w.lines.append(
            f"{name}:3 = scf.for %k = {c1} to {c3} step {c1} "
            f"iter_args(%a = {ov_x}, %b = {ov_h}, %c = {acc}) -> ({types}) {{"
        )
        y_at = w(f"arith.muli %k, {c4} : index")
        x_at = w(f"arith.addi {y_at}, {c2} : index")
        found = inner(x_at, y_at, "%a", "%b", "%c")
        w.lines.append(f"scf.yield {', '.join(found)} : {types}\n}}")
        ov_x, ov_h, acc = (f"{name}#{i}" for i in range(3))
    else:
        for k in (1, 2):
            ov_x, ov_h, acc = inner(str(4 * k + 2), str(4 * k), ov_x, ov_h, acc)
    # Tile 3.
    new = w.pad(fetch("%x", X, "14", (1, 3, 2, 12)), (1, 3, 2, 12), 0, 1)
    x = w.concat(ov_x, new, (1, 3, 2, 14), (1, 3, 3, 14))
    new = w.pad(w.conv(x, w1, (1, 3, 5, 14), W1), (1, 8, 3, 12), 0, 1)
    h = w.concat(ov_h, new, (1, 8, 2, 14), (1, 8, 4, 14))
    y = w.conv(h, w2, (1, 8, 6, 14), W2)
    acc = put(y, acc, "12", (1, 4, 4, 12), Y)
    return w.text(CONV_ARGUMENTS, acc, t(Y))


A, B, C = (16, 12), (12, 32), (32, 8)
MATMUL_ARGUMENTS = f"%a: {t(A)}, %b: {t(B)}, %c: {t(C)}"


def whole_matmuls() -> str:
    """A times B, ReLU, times C."""
    w = Writer()
    h = w.relu(w.matmul("%a", "%b", A, B, w.fill((16, 32))), (16, 32))
    y = w.matmul(h, "%c", (16, 32), C, w.fill((16, 8)))
    return w.text(MATMUL_ARGUMENTS, y, t((16, 8)))


def split_matmuls(*, loop: bool) -> str:
    """Four slices of the columns of B and the rows of C; the sums of the result stay on chip.

    Each element of the result adds the same products in the same order.
    """
    w = Writer()
    a = w(f"memplan.load %a[0, 0] [16, 12] [1, 1] : {t(A)} to {t(A)}")
    acc = w.fill((16, 8))

    def slice(at: str, acc: str) -> str:
        b = w(f"memplan.load %b[0, {at}] [12, 8] [1, 1] : {t(B)} to {t((12, 8))}")
        h = w.relu(w.matmul(a, b, A, (12, 8), w.fill((16, 8))), (16, 8))
        c = w(f"memplan.load %c[{at}, 0] [8, 8] [1, 1] : {t(C)} to {t((8, 8))}")
        return w.matmul(h, c, (16, 8), (8, 8), acc)

    if loop:
        c0, c8, c32 = (w(f"arith.constant {n} : index") for n in (0, 8, 32))
        name, type_ = w.name(), t((16, 8))
        w.lines.append(
            f"{name} = scf.for %k = {c0} to {c32} step {c8} iter_args(%s = {acc}) -> ({type_}) {{"
        )
        found = slice("%k", "%s")
        w.lines.append(f"scf.yield {found} : {type_}\n}}")
        acc = name
    else:
        for k in range(4):
            acc = slice(str(8 * k), acc)
    empty = w(f"tensor.empty() : {t((16, 8))}")
    d = w(
        f"memplan.store {acc} into {empty}[0, 0] [16, 8] [1, 1] to @DDR "
        f": {t((16, 8))} into {t((16, 8))}"
    )
    return w.text(MATMUL_ARGUMENTS, d, t((16, 8)))


S = (1, 4, 16, 12)
W3 = (4, 8, 3, 3)


def whole_skip() -> str:
    """A skip connection: conv, then conv on it, then conv on both, as in a U-Net."""
    w = Writer()
    s = w.conv(w.pad("%x", S, 1, 1), "%w1", (1, 4, 18, 14), (4, 4, 3, 3))
    d = w.conv(w.pad(s, S, 1, 1), "%w2", (1, 4, 18, 14), (4, 4, 3, 3))
    both = w(f"tensor.concat dim(1) {s}, {d} : ({t(S)}, {t(S)}) -> {t((1, 8, 16, 12))}")
    y = w.conv(w.pad(both, (1, 8, 16, 12), 1, 1), "%w3", (1, 8, 18, 14), W3)
    return w.text(SKIP_ARGUMENTS, y, t(S))


SKIP_ARGUMENTS = f"%x: {t(S)}, %w1: {t((4, 4, 3, 3))}, %w2: {t((4, 4, 3, 3))}, %w3: {t(W3)}"


def split_skip() -> str:
    """The same with the skipped tensor stored off chip by tiles, and parts of it loaded again."""
    w = Writer()

    def layer(source: str, weights: str) -> str:
        whole = w(f"tensor.empty() : {t(S)}")
        for first, last in ((0, 8), (8, 16)):
            low, high = max(first - 1, 0), min(last + 1, 16)
            part = (1, 4, high - low, 12)
            x = w.pad(w.load(source, S, str(low), part), part, int(first == 0), int(last == 16))
            y = w.conv(x, weights, (1, 4, 10, 14), (4, 4, 3, 3))
            whole = w.store(y, whole, str(first), (1, 4, 8, 12), S)
        return whole

    s = layer("%x", "%w1")
    d = layer(s, "%w2")
    result = w(f"tensor.empty() : {t(S)}")
    for first, last in ((0, 8), (8, 16)):
        low, high = max(first - 1, 0), min(last + 1, 16)
        part = (1, 4, high - low, 12)
        one, other = w.load(s, S, str(low), part), w.load(d, S, str(low), part)
        both_shape = (1, 8, high - low, 12)
        both = w(f"tensor.concat dim(1) {one}, {other} : ({t(part)}, {t(part)}) -> {t(both_shape)}")
        padded = w.pad(both, both_shape, int(first == 0), int(last == 16))
        y = w.conv(padded, "%w3", (1, 8, 10, 14), W3)
        result = w.store(y, result, str(first), (1, 4, 8, 12), S)
    return w.text(SKIP_ARGUMENTS, result, t(S))
