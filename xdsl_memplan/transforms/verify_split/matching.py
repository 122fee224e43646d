"""Which operation of the whole program a tile is a piece of, and which piece."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeVar

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.transforms.verify_split.check_errors import (
    CheckError,
    MismatchError,
    NotFollowedError,
)
from xdsl_memplan.transforms.verify_split.comparison import (
    Shift,
    check_holds,
    known_parts,
    shifts,
)
from xdsl_memplan.transforms.verify_split.computation import (
    Computation,
    Sum,
    is_tensor,
    shape_of,
)
from xdsl_memplan.transforms.verify_split.held_parts import (
    Along,
    Box,
    Held,
    Part,
    meet,
    tensors_of,
    whole_box,
)
from xdsl_memplan.transforms.verify_split.lookups import Lookups
from xdsl_memplan.transforms.verify_split.whole_program import WholeProgram, other_kind

HeldBy = Callable[[SSAValue], Held]
Evaluate = Callable[[SSAValue], int]

_MOST_WAYS = 64
"""Ways to read the operands of one tile that are tried."""


@dataclass
class _Known:
    """What is the same of a tile in all iterations."""

    regions: Sequence[Box]
    """What is read and written of each operand."""
    read: Sequence[int]
    """Operands whose elements matter."""
    like_it: Mapping[Hashable, Sequence[Computation]]
    """Operations of the whole program of the same kind, by one of the tensors that are read."""

    @classmethod
    def of(cls, tile: Computation, program: WholeProgram) -> "_Known":
        read = [k for k, is_read in enumerate(tile.reads) if is_read]
        regions = [_region(map_, tile.loops) for map_ in tile.maps]
        return cls(regions, read, program.computations.get(tile.kind, {}))


class Matcher:
    """Finds the operations of one whole program."""

    def __init__(self, program: WholeProgram, held: HeldBy, evaluate: Evaluate) -> None:
        """Look values of the tiled program up with `held` and `evaluate`."""
        self.program = program
        self.held = held
        self.evaluate = evaluate
        self._known: dict[Computation, _Known] = {}
        self._lookups = Lookups()
        self.pieces: dict[Operation, set[Operation]] = {}
        """Of tiles with loops the operations that they are pieces of."""
        self.decisions: list[object] = []
        """What was found to be what."""

    def results(self, tile: Computation) -> list[Held]:
        """What the results of a tile are: pieces of all results that it may be a piece of.

        Raises MismatchError if it is none of what the whole program computes of its operands,
        NotFollowedError if the whole program computes nothing like it.
        """
        known = self._known.get(tile)
        if known is None:
            known = self._known[tile] = _Known.of(tile, self.program)
        regions = known.regions
        keys = self._keys([(self.held(tile.operands[k]), regions[k]) for k in known.read])
        candidates = _distinct(whole for key in keys for whole in known.like_it.get(key, ()))
        found: list[list[Held]] = []
        failures: list[CheckError] = []
        for whole in candidates:
            try:
                found += self._as_part_of(tile, whole, regions)
                self.pieces.setdefault(tile.op, set()).add(whole.op)
            except CheckError as error:
                failures.append(error)
        if not found:
            raise least_certain(failures)
        return [joined(helds) for helds in zip(*found, strict=True)]

    def _keys(self, read: Sequence[tuple[Held, Box]]) -> Sequence[Hashable]:
        """The tensors that one operand may be a part of; None if none is known of any."""
        for held, region in read:
            keys = {t for part, box in known_parts(held, region) for t in tensors_of(part, box)}
            if keys:
                return sorted(keys, key=self.program.number_of)
        return [None]

    def _as_part_of(
        self, tile: Computation, whole: Computation, regions: Sequence[Box]
    ) -> list[list[Held]]:
        """What the results are for each way to take the tile for a piece of `whole`."""
        read = [
            k
            for k in range(len(regions))
            if tile.reads[k] and not _is_partial(self.held(tile.operands[k]), regions[k])
        ]
        ways = [
            shifts(self.held(tile.operands[k]), regions[k], self.program.held(whole.operands[k]))
            for k in read
        ]
        found: list[list[Held]] = []
        failures: list[CheckError] = []
        for number, way in enumerate(product(*ways)):
            if number >= _MOST_WAYS:
                raise NotFollowedError("may lie in too many places")
            try:
                starts = self._starts(tile, whole, dict(zip(read, way, strict=True)))
                found.append(self._checked(tile, whole, regions, starts))
            except CheckError as error:
                failures.append(error)
        if not found:
            raise least_certain(failures)
        return found

    def _starts(
        self, tile: Computation, whole: Computation, shifts: dict[int, Shift]
    ) -> list[int | None]:
        """First iteration of each loop, from where the operands lie; None: any."""
        starts: list[int | None] = [
            0 if mine == all_ else None for mine, all_ in zip(tile.loops, whole.loops, strict=True)
        ]
        equations = [
            (index.terms, by - (there.constant - index.constant))
            for k, shift in shifts.items()
            for index, there, by in zip(tile.maps[k], whole.maps[k], shift, strict=True)
            if by is not None
        ]
        for (loop, terms), (_, others) in zip(tile.shifts, whole.shifts, strict=True):
            equations.append((((loop, 1),), self._sum(terms) - _constants(others)))
        pending = equations
        while pending:
            left: list[tuple[tuple[tuple[int, int], ...], int]] = []
            for terms, total in pending:
                unknown = [(loop, factor) for loop, factor in terms if starts[loop] is None]
                rest = total - sum(factor * (starts[loop] or 0) for loop, factor in terms)
                if len(unknown) > 1:
                    left.append((terms, total))
                elif unknown:
                    [(loop, factor)] = unknown
                    if rest % factor:
                        raise MismatchError("its operands do not belong together")
                    starts[loop] = rest // factor
                elif rest:
                    raise MismatchError("its operands do not belong together")
            if len(left) == len(pending):
                raise NotFollowedError("where a tile lies is not known")
            pending = left
        for start, mine, extent in zip(starts, tile.loops, whole.loops, strict=True):
            if start is not None and (start < 0 or start + mine > extent):
                raise MismatchError(
                    f"runs iterations [{start}, {start + mine}) of a loop of {extent}"
                )
        return starts

    def _sum(self, terms: Sequence[SSAValue | int]) -> int:
        return sum(t if isinstance(t, int) else self.evaluate(t) for t in terms)

    def _checked(
        self,
        tile: Computation,
        whole: Computation,
        regions: Sequence[Box],
        starts: Sequence[int | None],
    ) -> list[Held]:
        summed = tuple(d for d in tile.reduced if tile.loops[d] != whole.loops[d])
        if summed:
            _check_order(tile, whole, summed)
        first = 0
        for loop in summed:
            start = starts[loop]
            if start is None:
                raise NotFollowedError("which part of a sum a tile adds up is not known")
            first = first * whole.loops[loop] + start
        for k, region in enumerate(regions):
            if not tile.reads[k]:
                continue
            want = self.program.held(whole.operands[k])
            shift = [
                _start_of(index, starts, there.constant - index.constant)
                for index, there in zip(tile.maps[k], whole.maps[k], strict=True)
            ]
            if k >= tile.inputs and first:
                want = self._sum_so_far(whole, k - tile.inputs, summed, first)
            self.check(self.held(tile.operands[k]), region, want, shift)
        for number in range(len(tile.tables)):
            self._check_table(tile, whole, number + 1, starts)
        done = first + tile.loops[summed[-1]] if summed else 0
        return [
            self._result(tile, whole, number, starts, summed, done)
            for number in range(len(tile.op.results))
        ]

    def _sum_so_far(
        self, whole: Computation, number: int, summed: tuple[int, ...], done: int
    ) -> Held:
        [part] = self.program.held(whole.op.results[number]).parts
        shape = shape_of(whole.op.results[number])
        origin = part.origin.of_sum(summed, _terms(whole, summed))
        return Held(shape, (Part(part.box, origin, part.access, done),))

    def _result(
        self,
        tile: Computation,
        whole: Computation,
        number: int,
        starts: Sequence[int | None],
        summed: tuple[int, ...],
        done: int,
    ) -> Held:
        shape = shape_of(tile.op.results[number])
        [part] = self.program.held(whole.op.results[number]).parts
        access = tuple(
            Along(dimension, 1, _start_of(index, starts, along.shift or 0))
            for dimension, (index, along) in enumerate(
                zip(tile.maps[tile.inputs + number], part.access, strict=True)
            )
        )
        origin = part.origin.of_sum(summed, _terms(whole, summed))
        return Held(shape, (Part(whole_box(shape), origin, access, done, tile.op),))

    def _check_table(
        self, tile: Computation, whole: Computation, number: int, starts: Sequence[int | None]
    ) -> None:
        """Check that a table is that of the whole, or a part of it in which all is found."""
        mine, other = tile.tables[number - 1], whole.tables[number - 1]
        window, lookup = tile.lookups.get(number), whole.lookups.get(number)
        if window is None or lookup is None:
            self._check_whole(mine, other)
            return
        shift = [
            self._sum(terms) - _constants(others)
            for terms, others in zip(window.taken, lookup.taken, strict=True)
        ]
        shape, extents = shape_of(mine), shape_of(other)
        self.check(self.held(mine), whole_box(shape), self.program.held(other), shift)
        iterations = [
            (0, extent) if start is None else (start, start + count)
            for start, count, extent in zip(starts, tile.loops, whole.loops, strict=True)
        ]
        for d, (index, size, extent) in enumerate(zip(lookup.indices, shape, extents, strict=True)):
            if size != extent:
                low = shift[d] + _constants(lookup.taken[d])
                self._lookups.check_inside(index, iterations, low, low + size)

    def _check_whole(self, value: SSAValue, other: SSAValue) -> None:
        if shape_of(value) != shape_of(other):
            raise NotFollowedError("looks up a part of a table")
        shape = shape_of(value)
        self.check(self.held(value), whole_box(shape), self.program.held(other), [0] * len(shape))

    def check(self, held: Held, region: Box, want: Held, shift: Shift) -> None:
        """Check that a region holds what is wanted, and remember how."""
        self.decisions.append(check_holds(held, region, want, shift))

    def other_results(self, op: Operation) -> list[Held]:
        """What an operation without loops makes, all of whose operands are those of the whole.

        Raises MismatchError if they are not, NotFollowedError if the whole has no such operation.
        """
        tensors = [operand for operand in op.operands if is_tensor(operand)]
        found: list[list[Held]] = []
        failures: list[CheckError] = []
        read = [(self.held(value), whole_box(shape_of(value))) for value in tensors]
        for whole in self.others(op, read):
            try:
                for mine, other in zip(op.operands, whole.operands, strict=True):
                    if is_tensor(mine):
                        self._check_whole(mine, other)
            except CheckError as error:
                failures.append(error)
                continue
            found.append(
                [
                    Held(shape_of(mine), self.program.held(other).parts)
                    for mine, other in zip(op.results, whole.results, strict=True)
                ]
            )
        if not found:
            raise least_certain(failures)
        return [joined(helds) for helds in zip(*found, strict=True)]

    def others(self, op: Operation, read: Sequence[tuple[Held, Box]]) -> list[Operation]:
        """Operations without loops that do the same, of something that is read."""
        kind = other_kind(op)
        return _distinct(
            whole for key in self._keys(read) for whole in self.program.others.get((kind, key), ())
        )


_Found = TypeVar("_Found", bound=Hashable)


def _distinct(found: Iterable[_Found]) -> list[_Found]:
    return list(dict.fromkeys(found))


def joined(helds: Sequence[Held]) -> Held:
    """Everything that is known of one tensor."""
    if len(helds) == 1:
        return helds[0]
    return Held(helds[0].shape, tuple(_distinct(part for held in helds for part in held.parts)))


def least_certain(failures: Sequence[CheckError]) -> CheckError:
    """Of the reasons why a tile is none of several operations, one that rules nothing out."""
    if not failures:
        return NotFollowedError("computes nothing that the whole program computes of its operands")
    return next((one for one in failures if isinstance(one, NotFollowedError)), failures[0])


def _region(map_: Sequence[Sum], loops: Sequence[int]) -> Box:
    return tuple(
        (
            index.constant,
            index.constant + sum(factor * (loops[loop] - 1) for loop, factor in index.terms) + 1,
        )
        for index in map_
    )


def _start_of(index: Sum, starts: Sequence[int | None], constant: int) -> int | None:
    total = constant
    for loop, factor in index.terms:
        start = starts[loop]
        if start is None:
            return None
        total += factor * start
    return total


def _constants(terms: Sequence[SSAValue | int]) -> int:
    if any(not isinstance(term, int) for term in terms):
        raise NotFollowedError("a body adds a value to the number of an iteration")
    return sum(term for term in terms if isinstance(term, int))


def _is_partial(held: Held, region: Box) -> bool:
    return any(not part.is_complete and meet(part.box, region) is not None for part in held.parts)


def _terms(whole: Computation, summed: Sequence[int]) -> int:
    """Count the iterations of loops along which tiles add up; 0 if along none."""
    return prod(whole.loops[loop] for loop in summed) if summed else 0


def _check_order(tile: Computation, whole: Computation, partial: Sequence[int]) -> None:
    """Sums may be cut where every element is added up in the same order."""
    long = [d for d in whole.reduced if whole.loops[d] > 1]
    type_ = whole.op.results[0].type
    assert isinstance(type_, TensorType)
    if len(whole.op.results) > 1:
        raise NotFollowedError("adds up a part of several sums")
    has_rows = any(tile.loops[loop] > 1 for loop in partial[:-1])
    is_in_order = list(partial) == long[: len(partial)] and not has_rows
    if isinstance(type_.get_element_type(), IntegerType):
        if has_rows:
            raise NotFollowedError("adds up a part of the sum along several loops")
    elif not is_in_order:
        raise MismatchError("adds up in another order than the whole program")
