"""Where a tile is: one position per cut, some of them counted by a loop of the emitted code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

Position = tuple[int, ...]


@dataclass(frozen=True)
class Axis:
    """The tiles `first` to `first + count - 1` of a cut; with a counter they are iterations."""

    first: int
    counter: SSAValue | None = None


@dataclass
class Place:
    """A tile, or all tiles of the loops around: the axes, and index values computed already."""

    axes: tuple[Axis, ...]
    builder: Builder
    known: dict[tuple[int, tuple[int, ...]], SSAValue] = field(
        default_factory=dict[tuple[int, tuple[int, ...]], SSAValue]
    )

    @property
    def position(self) -> Position:
        """The tile, or the first of those that look like it."""
        return tuple(axis.first for axis in self.axes)

    def inside(self, axis: Axis, builder: Builder) -> "Place":
        """A place with one more axis; what is inserted goes to `builder`."""
        return Place((*self.axes, axis), builder)

    def index(self, at: Callable[[Position], int]) -> tuple[int, SSAValue | None]:
        """A number that depends on the tile: its value at `position`, and as an index value.

        There is no index value if it is the same in all iterations. The number must be a linear
        function of the counters.
        """
        base = at(self.position)
        steps: list[int] = []
        for number, axis in enumerate(self.axes):
            if axis.counter is None:
                steps.append(0)
                continue
            beside = list(self.position)
            beside[number] += 1
            steps.append(at(tuple(beside)) - base)
        if not any(steps):
            return base, None
        key = (base, tuple(steps))
        if key not in self.known:
            self.known[key] = self._sum(base, steps)
        return base, self.known[key]

    def _sum(self, base: int, steps: Sequence[int]) -> SSAValue:
        total: SSAValue | None = None
        for axis, step in zip(self.axes, steps, strict=True):
            if axis.counter is None or not step:
                continue
            term = axis.counter
            if step != 1:
                term = self.builder.insert(arith.MuliOp(term, self.constant(step))).result
            total = term if total is None else self.builder.insert(arith.AddiOp(total, term)).result
        assert total is not None
        if base:
            total = self.builder.insert(arith.AddiOp(total, self.constant(base))).result
        return total

    def constant(self, number: int) -> SSAValue:
        """An index constant."""
        attribute = IntegerAttr(number, IndexType())
        return self.builder.insert(arith.ConstantOp(attribute)).result


def runs(lengths: Sequence[object], starts: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Cut tiles into runs `(first, count)` that look alike.

    They have equal lengths, and starts that advance evenly. Linear in the numbers given.
    """
    found: list[tuple[int, int]] = []
    first = 0
    steps: tuple[int, ...] | None = None
    for tile in range(1, len(lengths) + 1):
        if tile < len(lengths) and lengths[tile] == lengths[first]:
            step = tuple(b - a for a, b in zip(starts[tile - 1], starts[tile], strict=True))
            if steps is None or step == steps:
                steps = step
                continue
        found.append((first, tile - first))
        first, steps = tile, None
    return found
