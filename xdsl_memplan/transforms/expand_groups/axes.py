"""Where a tile is: one position per cut, some of them counted by a loop of the emitted code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.transforms.expand_groups.clamped_lines import ClampedLine

Position = tuple[int, ...]

NumbersAt: TypeAlias = Callable[[Position], Sequence[int]]

_Arithmetic: TypeAlias = arith.MuliOp | arith.AddiOp | arith.SubiOp | arith.MaxSIOp | arith.MinSIOp

_Key: TypeAlias = tuple[str, SSAValue | None, SSAValue | int]
"""An operation, and what it is of."""


@dataclass(frozen=True)
class Counter:
    """A loop of the emitted code that goes on by `step` tiles in each iteration."""

    value: SSAValue
    step: int = 1
    clamped: int = 0
    """Iterations, if numbers that depend on the tile may stay where they are at the ends of the
    loop; 0: they are linear functions of the counter."""


@dataclass(frozen=True)
class Axis:
    """A tile of a cut, or what it is the first of: the tiles that the counters count."""

    first: int
    counters: tuple[Counter, ...] = ()


@dataclass
class IndexValues:
    """Index arithmetic at the start of a block, each value once here and in the blocks around.

    There it is known before all that the block computes, so that a tile can be computed where it
    is wanted in a larger tensor. Multiples of the counter of a loop stand in that loop's block.
    """

    block: Block
    around: "IndexValues | None" = None
    """Those of the block around, if there is one."""
    last: Operation | None = None
    known: dict[_Key, SSAValue] = field(default_factory=dict)

    def sum(self, base: int, terms: Sequence[tuple[SSAValue, int]]) -> SSAValue:
        """`base` and multiples of values, of which there are some."""
        total: SSAValue | None = None
        for term, factor in terms:
            if factor != 1:
                term = self._of_block(term.owner).multiple(term, factor)
            total = term if total is None else self._value(arith.AddiOp, total, term)
        assert total is not None
        return self._value(arith.AddiOp, total, self._constant(base)) if base else total

    def clamped(self, counter: SSAValue, line: ClampedLine) -> SSAValue:
        """The number of a line in the tile that a counter counts."""
        values = self._of_block(counter.owner)
        value = values.sum(line.first, [(counter, line.step)])
        if line.low > line.first:
            value = values.at_least(value, line.low)
        return values.at_most(value, line.high)

    def at_least(self, value: SSAValue, low: int) -> SSAValue:
        """The larger of a value and a number."""
        return self._value(arith.MaxSIOp, value, self._constant(low))

    def at_most(self, value: SSAValue, high: int) -> SSAValue:
        """The smaller of a value and a number."""
        return self._value(arith.MinSIOp, value, self._constant(high))

    def difference(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """One value less another."""
        return self._value(arith.SubiOp, left, right)

    def multiple(self, counter: SSAValue, factor: int) -> SSAValue:
        """A multiple of the counter of the block's loop."""
        return self._value(arith.MuliOp, counter, self._constant(factor))

    def _of_block(self, block: Operation | Block) -> "IndexValues":
        values = self
        while values.block is not block and values.around is not None:
            values = values.around
        return values

    def _value(self, kind: type[_Arithmetic], left: SSAValue, right: SSAValue) -> SSAValue:
        return self._once((kind.name, left, right), lambda: kind(left, right))

    def _constant(self, number: int) -> SSAValue:
        return self._once(("constant", None, number), lambda: _index_constant(number))

    def _once(self, key: _Key, make: Callable[[], Operation]) -> SSAValue:
        """What this block, or one around it, has already; else it is made here."""
        values: IndexValues | None = self
        while values is not None:
            if key in values.known:
                return values.known[key]
            values = values.around
        self.known[key] = self._insert(make())
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
        return Place((*self.axes, axis), builder, self.indices)

    def indices_of(
        self, at: NumbersAt, less: NumbersAt | None = None
    ) -> tuple[Sequence[int], list[SSAValue | None]]:
        """Numbers that depend on the tile: their values at `position`, and as index values.

        There is no index value for what is the same in all iterations. With `less` they are
        differences. The numbers, or both of which they are the difference, must be linear functions
        of the counters, but for the ends of loops that are clamped.
        """

        def number_at(position: Position) -> Sequence[int]:
            if less is None:
                return at(position)
            return [mine - other for mine, other in zip(at(position), less(position), strict=True)]

        base = number_at(self.position)
        terms = self._terms(number_at, base)
        values: list[SSAValue | None] = []
        for index, (here, mine) in enumerate(zip(base, terms, strict=True)):
            if mine is not None:
                values.append(self.indices.sum(here, mine) if mine else None)
            else:
                assert less is not None
                one, other = (self._value(numbers, index) for numbers in (at, less))
                values.append(self.indices.difference(one, other))
        return base, values

    def _value(self, at: NumbersAt, index: int) -> SSAValue:
        base = at(self.position)
        terms = self._terms(at, base)[index]
        assert terms is not None
        return self.indices.sum(base[index], terms) if terms else self.constant(base[index])

    def _terms(self, at: NumbersAt, base: Sequence[int]) -> list[list[tuple[SSAValue, int]] | None]:
        """What is added to each number: values with factors; None where that is no such sum."""
        terms: list[list[tuple[SSAValue, int]] | None] = [[] for _ in base]
        for number, axis in enumerate(self.axes):
            for counter in axis.counters:
                tiles = range(2 if not counter.clamped else counter.clamped)
                rows: list[Sequence[int]] = []
                for tile in tiles:
                    beside = list(self.position)
                    beside[number] += tile * counter.step
                    rows.append(at(tuple(beside)) if tile else base)
                for index, column in enumerate(zip(*rows, strict=True)):
                    term = self._term(counter, column)
                    of_index = terms[index]
                    if term is None or of_index is None:
                        terms[index] = None
                    else:
                        of_index.extend(term)
        return terms

    def _term(self, counter: Counter, column: Sequence[int]) -> list[tuple[SSAValue, int]] | None:
        """What a counter adds to the first of some numbers, one per tile that it counts."""
        if len(set(column)) <= 1:
            return []
        steps = {after - before for before, after in pairwise(column)}
        if len(steps) == 1:  # Where a row of tiles ends, that may be backwards.
            return [(counter.value, steps.pop())]
        line = ClampedLine.of([number - column[0] for number in column])
        return None if line is None else [(self.indices.clamped(counter.value, line), 1)]

    def constant(self, number: int) -> SSAValue:
        """An index constant, where the code is."""
        return self.builder.insert(_index_constant(number)).results[0]


def _index_constant(number: int) -> arith.ConstantOp:
    value = _index(number)
    return arith.ConstantOp.create(result_types=[value.type], properties={"value": value})


@lru_cache(maxsize=4096)
def _index(number: int) -> IntegerAttr[IndexType]:
    return IntegerAttr(number, IndexType())
