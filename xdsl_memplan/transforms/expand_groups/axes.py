"""Where a tile is: one position per cut, some of them counted by a loop of the emitted code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

Position = tuple[int, ...]


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
class IndexValues:
    """Index arithmetic at the start of a block, each value once.

    There it is known before all that the block computes, so that a tile can be computed where it
    is wanted in a larger tensor. Multiples of the counter of a loop stand in that loop's block.
    """

    block: Block
    around: "IndexValues | None" = None
    """Those of the block around, if there is one."""
    last: Operation | None = None
    known: dict[tuple[str, SSAValue | None, SSAValue | int], SSAValue] = field(default_factory=dict)

    def sum(self, base: int, terms: Sequence[tuple[SSAValue, int]]) -> SSAValue:
        """`base` and multiples of values, of which there are some."""
        total: SSAValue | None = None
        for term, factor in terms:
            if factor != 1:
                term = self._of_block(term.owner).multiple(term, factor)
            total = term if total is None else self._value(arith.AddiOp, total, term)
        assert total is not None
        return self._value(arith.AddiOp, total, self._constant(base)) if base else total

    def multiple(self, counter: SSAValue, factor: int) -> SSAValue:
        """A multiple of the counter of the block's loop."""
        return self._value(arith.MuliOp, counter, self._constant(factor))

    def _of_block(self, block: Operation | Block) -> "IndexValues":
        values = self
        while values.block is not block and values.around is not None:
            values = values.around
        return values

    def _value(
        self, kind: type[arith.MuliOp | arith.AddiOp], left: SSAValue, right: SSAValue
    ) -> SSAValue:
        key = (kind.name, left, right)
        if key not in self.known:
            self.known[key] = self._insert(kind(left, right))
        return self.known[key]

    def _constant(self, number: int) -> SSAValue:
        key = ("constant", None, number)
        if key not in self.known:
            self.known[key] = self._insert(_index_constant(number))
        return self.known[key]

    def _insert(self, op: Operation) -> SSAValue:
        if self.last is not None:
            self.block.insert_ops_after([op], self.last)
        elif self.block.first_op is not None:
            self.block.insert_ops_before([op], self.block.first_op)
        else:
            self.block.add_op(op)
        self.last = op
        return op.results[0]


@dataclass
class Place:
    """A tile, or all tiles of the loops around: the axes, and where its code goes."""

    axes: tuple[Axis, ...]
    builder: Builder
    around: IndexValues | None = None
    """Those of the same block, or of the one around it."""
    indices: IndexValues = field(init=False)

    def __post_init__(self) -> None:
        block, around = self.builder.insertion_point.block, self.around
        if around is not None and around.block is block:
            self.indices = around
        else:
            self.indices = IndexValues(block, around)

    @property
    def position(self) -> Position:
        """The tile, or the first of those that look like it."""
        return tuple(axis.first for axis in self.axes)

    def inside(self, axis: Axis, builder: Builder) -> "Place":
        """A place with one more axis; what is inserted goes to `builder`."""
        place = Place((*self.axes, axis), builder)
        if builder is self.builder:
            place.indices = self.indices
        return place

    def indices_of(
        self, at: Callable[[Position], Sequence[int]]
    ) -> tuple[Sequence[int], list[SSAValue | None]]:
        """Numbers that depend on the tile: their values at `position`, and as index values.

        There is no index value for what is the same in all iterations. The numbers must be linear
        functions of the counters.
        """
        base = at(self.position)
        terms: list[list[tuple[SSAValue, int]]] = [[] for _ in base]
        for number, axis in enumerate(self.axes):
            for counter in axis.counters:
                beside = list(self.position)
                beside[number] += counter.step
                for mine, here, there in zip(terms, base, at(tuple(beside)), strict=True):
                    if there != here:
                        mine.append((counter.value, there - here))
        return base, [
            self.indices.sum(here, mine) if mine else None
            for here, mine in zip(base, terms, strict=True)
        ]

    def constant(self, number: int) -> SSAValue:
        """An index constant, where the code is."""
        return self.builder.insert(_index_constant(number)).results[0]


def _index_constant(number: int) -> arith.ConstantOp:
    value = _index(number)
    return arith.ConstantOp.create(result_types=[value.type], properties={"value": value})


@lru_cache(maxsize=4096)
def _index(number: int) -> IntegerAttr[IndexType]:
    return IntegerAttr(number, IndexType())
