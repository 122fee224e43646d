"""Where a tile is: one position per cut, some of them counted by a loop of the emitted code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

Position = tuple[int, ...]
Sum = tuple[int, tuple[tuple[SSAValue, int], ...]]
"""A number, and index values with their factors."""


@dataclass(frozen=True)
class Counter:
    """A loop of the emitted code that goes on by `step` tiles in each iteration."""

    value: SSAValue
    step: int = 1


@dataclass(frozen=True)
class Axis:
    """A tile of a cut, or what it is the first of: the tiles that the counters count."""

    first: int
    counters: tuple[Counter, ...] = ()


@dataclass
class Place:
    """A tile, or all tiles of the loops around: the axes, and index values computed already."""

    axes: tuple[Axis, ...]
    builder: Builder
    known: dict[Sum, SSAValue] = field(default_factory=dict[Sum, SSAValue])

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
        terms: list[tuple[SSAValue, int]] = []
        for number, axis in enumerate(self.axes):
            for counter in axis.counters:
                beside = list(self.position)
                beside[number] += counter.step
                factor = at(tuple(beside)) - base
                if factor:
                    terms.append((counter.value, factor))
        if not terms:
            return base, None
        key = (base, tuple(terms))
        if key not in self.known:
            self.known[key] = self._sum(base, terms)
        return base, self.known[key]

    def _sum(self, base: int, terms: Sequence[tuple[SSAValue, int]]) -> SSAValue:
        total: SSAValue | None = None
        for term, factor in terms:
            if factor != 1:
                term = self.builder.insert(arith.MuliOp(term, self.constant(factor))).result
            total = term if total is None else self.builder.insert(arith.AddiOp(total, term)).result
        assert total is not None
        if base:
            total = self.builder.insert(arith.AddiOp(total, self.constant(base))).result
        return total

    def constant(self, number: int) -> SSAValue:
        """An index constant."""
        attribute = IntegerAttr(number, IndexType())
        return self.builder.insert(arith.ConstantOp(attribute)).result
