"""Random programs of loads, stores and carries, also of old versions and in loops."""

from random import Random

COLUMNS = 4
WHOLE = 8
"""Rows of what is off chip."""


def t(rows: int) -> str:
    """A tensor of some rows."""
    return f"tensor<{rows}x{COLUMNS}xf32>"


class RandomMoves:
    """Text of one program; every value that was made may be used at any time later."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.here: list[tuple[str, int]] = []
        """Tensors on chip and their rows."""
        self.away: list[str] = ["%x"]

    def write(self, text: str) -> str:
        """One operation."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def region(self, rows: int, size: int | None = None) -> tuple[str, int]:
        """A random region of a tensor with that many rows: text, and rows of the region."""
        size = self.random.randint(1, rows) if size is None else size
        stride = 2 if 2 * size <= rows + 1 and self.random.random() < 0.3 else 1
        at = self.random.randint(0, rows - (size - 1) * stride - 1)
        return f"[{at}, 0] [{size}, {COLUMNS}] [{stride}, 1]", size

    def load(self) -> None:
        region, size = self.region(WHOLE)
        source = self.random.choice(self.away)
        made = self.write(f"memplan.load {source}{region} : {t(WHOLE)} to {t(size)}")
        self.here.append((made, size))

    def carry(self) -> None:
        source, rows = self.random.choice(self.here)
        region, size = self.region(rows)
        made = self.write(f"memplan.carry {source}{region} : {t(rows)} to {t(size)}")
        self.here.append((made, size))

    def view(self) -> None:
        source, rows = self.random.choice(self.here)
        region, size = self.region(rows)
        made = self.write(f"tensor.extract_slice {source}{region} : {t(rows)} to {t(size)}")
        self.here.append((made, size))

    def add(self) -> None:
        one, rows = self.random.choice(self.here)
        other, _ = self.random.choice([value for value in self.here if value[1] == rows])
        empty = self.write(f"tensor.empty() : {t(rows)}")
        operands = f"ins({one}, {other} : {t(rows)}, {t(rows)})"
        made = self.write(f"linalg.add {operands} outs({empty} : {t(rows)}) -> {t(rows)}")
        self.here.append((made, rows))

    def concat(self) -> None:
        (one, rows), (other, more) = (self.random.choice(self.here) for _ in range(2))
        if rows + more <= WHOLE:
            types = f"({t(rows)}, {t(more)}) -> {t(rows + more)}"
            made = self.write(f"tensor.concat dim(0) {one}, {other} : {types}")
            self.here.append((made, rows + more))

    def start(self) -> None:
        empty = self.write(f"tensor.empty() : {t(WHOLE)}")
        fill = f"linalg.fill ins(%one : f32) outs({empty} : {t(WHOLE)}) -> {t(WHOLE)}"
        self.store(self.write(fill))

    def store(self, into: str | None = None) -> None:
        source, rows = self.random.choice(self.here)
        if into is None:
            versions = [version for version in self.away if version != "%x"]
            # Mostly the newest, sometimes an old one, which must then be copied.
            into = versions[-1] if self.random.random() < 0.7 else self.random.choice(versions)
        region, _ = self.region(WHOLE, rows)
        types = f"{t(rows)} into {t(WHOLE)}"
        self.away.append(
            self.write(f"memplan.store {source} into {into}{region} to @DDR : {types}")
        )

    def loop(self) -> None:
        """A window that is carried along, and a store at an offset that the loop says."""
        versions = [version for version in self.away if version != "%x"]
        start, source = self.random.choice(versions), self.random.choice(self.away)
        rows = self.random.randint(1, 2)
        window = self.write(
            f"memplan.load {source}[0, 0] [{rows}, 4] [1, 1] : {t(WHOLE)} to {t(rows)}"
        )
        types = f"{t(rows)}, {t(WHOLE)}"
        name = self.write(
            f"scf.for %i = %c0 to %c{WHOLE - 2 * rows + 1} step %c{rows} "
            f"iter_args(%w = {window}, %d = {start}) -> ({types}) {{"
        )
        self.lines[-1] = self.lines[-1].replace(" =", ":2 =", 1)
        at = self.write(f"arith.addi %i, %c{rows} : index")
        read = self.random.choice([source, "%d"])
        new = self.write(
            f"memplan.load {read}[{at}, 0] [{rows}, 4] [1, 1] : {t(WHOLE)} to {t(rows)}"
        )
        both = self.write(
            f"tensor.concat dim(0) %w, {new} : ({t(rows)}, {t(rows)}) -> {t(2 * rows)}"
        )
        carried = self.write(
            f"memplan.carry {both}[{rows}, 0] [{rows}, 4] [1, 1] : {t(2 * rows)} to {t(rows)}"
        )
        top = self.write(
            f"tensor.extract_slice {both}[0, 0] [{rows}, 4] [1, 1] : {t(2 * rows)} to {t(rows)}"
        )
        empty = self.write(f"tensor.empty() : {t(rows)}")
        total = self.write(
            f"linalg.add ins({top}, {carried} : {t(rows)}, {t(rows)}) "
            f"outs({empty} : {t(rows)}) -> {t(rows)}"
        )
        stored = self.write(
            f"memplan.store {total} into %d[%i, 0] [{rows}, 4] [1, 1] to @DDR "
            f": {t(rows)} into {t(WHOLE)}"
        )
        self.lines.append(f"scf.yield {carried}, {stored} : {types}\n}}")
        self.here.append((f"{name}#0", rows))
        self.away.append(f"{name}#1")

    def text(self) -> str:
        """The whole function; a few values of either kind are returned."""
        self.load()
        self.start()
        steps = (self.load, self.carry, self.view, self.add, self.concat, self.store, self.loop)
        for _ in range(self.random.randint(3, 14)):
            self.random.choice(steps)()
        returned = [(self.away[-1], WHOLE), self.here[-1]]
        returned += self.random.sample(self.here, min(2, len(self.here)))
        returned.append((self.random.choice(self.away[1:]), WHOLE))
        names = ", ".join(name for name, _ in returned)
        types = ", ".join(t(rows) for _, rows in returned)
        constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(WHOLE))
        body = "\n".join(self.lines)
        return (
            f"func.func @main(%x: {t(WHOLE)}) -> ({types}) {{\n%one = arith.constant 1.0 : f32\n"
            f"{constants}\n{body}\nfunc.return {names} : {types}\n}}\n"
        )
