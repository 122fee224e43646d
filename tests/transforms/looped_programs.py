"""Programs with loops and branches over tensors, made up from a seed."""

from random import Random

ROWS, FEATURES = 8, 16
STATE = f"tensor<{ROWS}x{FEATURES}xf32>"
ROW = f"tensor<1x{FEATURES}xf32>"
_SAME = "affine_map<(d0, d1) -> (d0, d1)>"

ARGUMENTS = (
    f"%x: {STATE}, %y: {STATE}, %w: tensor<{FEATURES}x{FEATURES}xf32>, "
    f"%v: tensor<{FEATURES}x{FEATURES}xf32>"
)
SHAPES = ((ROWS, FEATURES),) * 2 + ((FEATURES, FEATURES),) * 2


class LoopedProgram:
    """Writes one function with `scf.for`, `scf.if` and `scf.while` in each other."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        """The function @main; it returns two tensors."""
        self.lines = [
            "%zero = arith.constant 0.0 : f32",
            "%low = arith.constant 0.25 : f32",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%c3 = arith.constant 3 : index",
            f"%rows = arith.constant {ROWS} : index",
        ]
        first, second = self.block(["%x", "%y"], depth=0)
        body = "\n".join(f"  {line}" for line in self.lines)
        return (
            f"func.func @main({ARGUMENTS}) -> ({STATE}, {STATE}) {{\n{body}\n"
            f"  func.return {first}, {second} : {STATE}, {STATE}\n}}\n"
        )

    def block(self, known: list[str], depth: int, at: str | None = None) -> tuple[str, str]:
        """Write some operations; return two tensors that may be those from outside."""
        known = list(known)
        for _ in range(self.random.randint(1, 4)):
            ways = [self.product, self.product, self.elementwise, self.filled]
            if at is not None:
                ways += [lambda known: self.row(known, at)]
            if depth < 2:
                deeper = depth + 1
                ways += [
                    lambda known, deeper=deeper: self.loop(known, deeper),
                    lambda known, deeper=deeper: self.branch(known, deeper),
                    lambda known, deeper=deeper: self.repeated(known, deeper),
                ]
            known += self.random.choice(ways)(known)
        return known[-1], self.random.choice(known)

    def name(self) -> str:
        """A name that nothing has yet."""
        self.count += 1
        return f"%t{self.count}"

    def product(self, known: list[str]) -> list[str]:
        """A product with one of the weights, in a loop often the same."""
        e, f, p = self.name(), self.name(), self.name()
        a, w = self.random.choice(known), self.random.choice(["%w", "%v"])
        weights = f"tensor<{FEATURES}x{FEATURES}xf32>"
        self.lines += [
            f"{e} = tensor.empty() : {STATE}",
            f"{f} = linalg.fill ins(%zero : f32) outs({e} : {STATE}) -> {STATE}",
            f"{p} = linalg.matmul ins({a}, {w} : {STATE}, {weights}) "
            f"outs({f} : {STATE}) -> {STATE}",
        ]
        return self.elementwise([p, p])

    def elementwise(self, known: list[str]) -> list[str]:
        """A sum that stays small."""
        e, s = self.name(), self.name()
        a, b = self.random.choice(known), self.random.choice(known)
        self.lines += [
            f"{e} = tensor.empty() : {STATE}",
            f"{s} = linalg.generic {{indexing_maps = [{_SAME}, {_SAME}, {_SAME}], "
            f'iterator_types = ["parallel", "parallel"]}} ins({a}, {b} : {STATE}, {STATE}) '
            f"outs({e} : {STATE}) {{",
            "^bb0(%i: f32, %j: f32, %o: f32):",
            "  %sum = arith.addf %i, %j : f32",
            "  %most = arith.minimumf %sum, %low : f32",
            "  linalg.yield %most : f32",
            f"}} -> {STATE}",
        ]
        return [s]

    def filled(self, known: list[str]) -> list[str]:
        """A tensor with one value, that a loop may begin with."""
        e, f = self.name(), self.name()
        self.lines += [
            f"{e} = tensor.empty() : {STATE}",
            f"{f} = linalg.fill ins(%low : f32) outs({e} : {STATE}) -> {STATE}",
        ]
        return [f]

    def row(self, known: list[str], at: str) -> list[str]:
        """A row of one tensor, put into another where a counter says."""
        r, i = self.name(), self.name()
        a, b = self.random.choice(known), self.random.choice(known)
        where = f"[{at}, 0] [1, {FEATURES}] [1, 1]"
        self.lines += [
            f"{r} = tensor.extract_slice {a}{where} : {STATE} to {ROW}",
            f"{i} = tensor.insert_slice {r} into {b}{where} : {ROW} into {STATE}",
        ]
        return [i]

    def loop(self, known: list[str], depth: int) -> list[str]:
        """A loop that carries two tensors, which may change places."""
        r, t, a, b = (self.name() for _ in range(4))
        first, second = self.random.choice(known), self.random.choice(known)
        end = self.random.choice(["%c3", "%rows"])
        self.lines += [
            f"{r}:2 = scf.for {t} = %c0 to {end} step %c1 iter_args({a} = {first}, {b} = {second}) "
            f"-> ({STATE}, {STATE}) {{"
        ]
        one, two = self.block([*known, a, b], depth, t)
        self.lines += [f"scf.yield {one}, {two} : {STATE}, {STATE}", "}"]
        return [f"{r}#0", f"{r}#1"]

    def branch(self, known: list[str], depth: int) -> list[str]:
        """A branch on an element; one of its sides may compute nothing."""
        s, c, r = (self.name() for _ in range(3))
        a = self.random.choice(known)
        self.lines += [
            f"{s} = tensor.extract {a}[%c1, %c3] : {STATE}",
            f"{c} = arith.cmpf olt, {s}, %zero : f32",
            f"{r}:2 = scf.if {c} -> ({STATE}, {STATE}) {{",
        ]
        one, two = self.block(known, depth)
        self.lines += [f"scf.yield {one}, {two} : {STATE}, {STATE}", "} else {"]
        three, four = self.random.choice(known), self.random.choice(known)
        if self.random.random() < 0.5:
            three, four = self.block(known, depth)
        self.lines += [f"scf.yield {three}, {four} : {STATE}, {STATE}", "}"]
        return [f"{r}#0", f"{r}#1"]

    def repeated(self, known: list[str], depth: int) -> list[str]:
        """A loop that goes on while a counter and an element are small."""
        r, a, n, b, m = (self.name() for _ in range(5))
        s, small, few, both, more = (self.name() for _ in range(5))
        first = self.random.choice(known)
        types = f"{STATE}, index"
        self.lines += [
            f"{r}:2 = scf.while ({a} = {first}, {n} = %c0) : ({types}) -> ({types}) {{",
            f"{s} = tensor.extract {a}[%c0, %c1] : {STATE}",
            f"{small} = arith.cmpf olt, {s}, %low : f32",
            f"{few} = arith.cmpi slt, {n}, %c3 : index",
            f"{both} = arith.andi {small}, {few} : i1",
            f"scf.condition({both}) {a}, {n} : {types}",
            "} do {",
            f"^bb0({b}: {STATE}, {m}: index):",
        ]
        one, _ = self.block([*known, b], depth, None)
        self.lines += [
            f"{more} = arith.addi {m}, %c1 : index",
            f"scf.yield {one}, {more} : {types}",
            "}",
        ]
        return [f"{r}#0"]
