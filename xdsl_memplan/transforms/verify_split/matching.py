"""Which operation of the whole program a tile is a piece of, and which piece."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.transforms.verify_split.computation import (
    Computation,
    NotFollowedError,
    Sum,
    is_tensor,
    shape_of,
)
from xdsl_memplan.transforms.verify_split.held_parts import (
    Along,
    Box,
    Held,
    Origin,
    Part,
    meet,
    whole_box,
    without,
)
from xdsl_memplan.transforms.verify_split.whole_program import (
    UNDEFINED,
    WholeProgram,
    other_kind,
)

Shift = Sequence[int | None]
"""What is added to a local index, per dimension; None: it makes no difference."""
HeldBy = Callable[[SSAValue], Held]
Evaluate = Callable[[SSAValue], int]

_MOST_WAYS = 64
"""Ways to read the operands of one tile that are tried."""


class MismatchError(Exception):
    """Tiles that do not compute what the whole program does."""

    def __init__(self, reason: str, by: Operation | None = None) -> None:
        super().__init__(reason)
        self.by = by
        """What wrote the elements that are wrong."""


def check_holds(held: Held, region: Box, want: Held, shift: Shift) -> list[tuple[int, int]]:
    """Check that a region holds what is wanted: local index `p` is index `p + shift` of that.

    Returns which parts of one were found to be which of the other. Raises MismatchError for
    elements that are not written, or are others.
    """
    for dimension, ((a, b), s, extent) in enumerate(zip(region, shift, want.shape, strict=True)):
        if s is not None and (a + s < 0 or b + s > extent):
            raise MismatchError(
                f"dimension {dimension} is [{a + s}, {b + s}) of the whole, which has {extent}"
            )
    pairs: list[tuple[int, int]] = []
    for wanted, leaf in enumerate(want.parts):
        box = _local(leaf.box, region, shift, want.shape)
        if box is None or leaf.origin == UNDEFINED:
            continue
        rest = [box]
        for number, part in enumerate(held.parts):
            shared = meet(part.box, box)
            if shared is not None and _is_same(part, leaf, shared, shift):
                pairs.append((number, wanted))
                rest = [piece for r in rest for piece in without(r, shared)]
                if not rest:
                    break
        if rest:
            _refuse(held, rest[0])
    return pairs


def _refuse(held: Held, box: Box) -> None:
    where = "x".join(f"[{a}, {b})" for a, b in box)
    for part in held.parts:
        if meet(part.box, box) is not None:
            raise MismatchError(f"elements {where} are not those of the whole program", part.by)
    raise MismatchError(f"elements {where} are not written")


def _local(leaf: Box, region: Box, shift: Shift, extents: Sequence[int]) -> Box | None:
    box: list[tuple[int, int]] = []
    for (a, b), s, (first, end), extent in zip(leaf, shift, region, extents, strict=True):
        if s is None:
            if (a, b) != (0, extent):
                raise NotFollowedError("where a tile lies in a padded tensor is not known")
            box.append((first, end))
        else:
            box.append((max(a - s, first), min(b - s, end)))
    return tuple(box) if all(a < b for a, b in box) else None


def _is_same(part: Part, leaf: Part, box: Box, shift: Shift) -> bool:
    """Compare what two say of a box of local indices."""
    if part.origin != leaf.origin or part.done != leaf.done:
        is_wanted_whole = leaf.origin.summed is None and part.is_complete
        if part.origin.key != leaf.origin.key or not is_wanted_whole:
            return False
    corner = [a for a, _ in box]
    for mine, other in zip(part.access, leaf.access, strict=True):
        by = 0 if other.dim is None else shift[other.dim]
        if mine.shift is None or other.shift is None or by is None:
            continue
        there = other._replace(shift=other.shift + other.step * by)
        if mine == there:
            continue
        if mine.at(corner) != there.at(corner):
            return False
        for dimension, (a, b) in enumerate(box):
            steps = [along.step if along.dim == dimension else 0 for along in (mine, there)]
            if b - a > 1 and steps[0] != steps[1]:
                return False
    return True


def _known_part(held: Held, region: Box) -> tuple[Part, Box] | None:
    """A part of a tensor, not of one value everywhere, and where it is."""
    for part in held.parts:
        if part.access and part.is_complete:
            shared = meet(part.box, region)
            if shared is not None:
                return part, shared
    return None


def _shifts(held: Held, region: Box, want: Held) -> Iterator[list[int | None]]:
    """Where a region may lie in the tensor that is wanted."""
    rank = len(want.shape)
    found = _known_part(held, region)
    if found is None:
        yield [0 if extent == 1 else None for extent in want.shape]
        return
    part, box = found
    corner = [a for a, _ in box]
    for leaf in want.parts:
        if leaf.origin.key != part.origin.key:
            continue
        shift: list[int | None] = [None] * rank
        for mine, other in zip(part.access, leaf.access, strict=True):
            index = mine.at(corner)
            if index is None or other.shift is None:
                continue
            distance = index - other.shift
            if other.dim is None:
                if distance:
                    break
            elif distance % other.step:
                break
            else:
                shift[other.dim] = distance // other.step - corner[other.dim]
        else:
            bound = {along.dim for along in leaf.access}
            for dimension, extent in enumerate(want.shape):
                if extent == 1 and dimension not in bound:
                    shift[dimension] = -corner[dimension]
            yield shift


class Matcher:
    """Finds the operations of one whole program."""

    def __init__(self, program: WholeProgram, held: HeldBy, evaluate: Evaluate) -> None:
        """Look values of the tiled program up with `held` and `evaluate`."""
        self.program = program
        self.held = held
        self.evaluate = evaluate
        self.decisions: list[object] = []
        """What was found to be what."""

    def results(self, tile: Computation) -> list[Held]:
        """What the results of a tile are; raises MismatchError if they are nothing."""
        regions = [_region(map_, tile.loops) for map_ in tile.maps]
        read = [k for k in range(len(regions)) if tile.reads[k]]
        key = self._key([(self.held(tile.operands[k]), regions[k]) for k in read])
        candidates = self.program.computations.get((tile.kind, key), [])
        failure = MismatchError("computes nothing that the whole program computes of its operands")
        for whole in candidates:
            try:
                return self._as_part_of(tile, whole, regions)
            except MismatchError as error:
                failure = error
        raise failure

    def _key(self, read: Sequence[tuple[Held, Box]]) -> Hashable:
        """One of the tensors that are read; None if there is none that is known."""
        known = (_known_part(held, region) for held, region in read)
        return next((found[0].origin.key for found in known if found is not None), None)

    def _as_part_of(
        self, tile: Computation, whole: Computation, regions: Sequence[Box]
    ) -> list[Held]:
        read = [
            k
            for k in range(len(regions))
            if tile.reads[k] and not _is_partial(self.held(tile.operands[k]), regions[k])
        ]
        ways = [
            list(
                _shifts(
                    self.held(tile.operands[k]), regions[k], self.program.held(whole.operands[k])
                )
            )
            for k in read
        ]
        failure: MismatchError | None = None
        for number, way in enumerate(product(*ways)):
            if number >= _MOST_WAYS:
                break
            try:
                starts = self._starts(tile, whole, dict(zip(read, way, strict=True)))
                return self._checked(tile, whole, regions, starts)
            except MismatchError as error:
                failure = failure or error
        raise failure or MismatchError("reads other tensors than the whole program")

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
        partial = [d for d in tile.reduced if tile.loops[d] != whole.loops[d]]
        summed = partial[0] if partial else None
        if partial:
            _check_order(whole, partial)
        first = 0 if summed is None else starts[summed]
        if first is None:
            raise NotFollowedError("which part of a sum a tile adds up is not known")
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
            self._check(self.held(tile.operands[k]), region, want, shift)
        for mine, other in zip(tile.tables, whole.tables, strict=True):
            self._check_whole(mine, other)
        added = (None, 0, 0)
        if summed is not None:
            added = (summed, whole.loops[summed], first + tile.loops[summed])
        return [
            self._result(tile, whole, number, starts, added)
            for number in range(len(tile.op.results))
        ]

    def _sum_so_far(self, whole: Computation, number: int, summed: int | None, done: int) -> Held:
        [part] = self.program.held(whole.op.results[number]).parts
        shape = shape_of(whole.op.results[number])
        terms = 0 if summed is None else whole.loops[summed]
        origin = Origin(part.origin.key, summed, terms)
        return Held(shape, (Part(part.box, origin, part.access, done),))

    def _result(
        self,
        tile: Computation,
        whole: Computation,
        number: int,
        starts: Sequence[int | None],
        added: tuple[int | None, int, int],
    ) -> Held:
        summed, terms, done = added
        shape = shape_of(tile.op.results[number])
        [part] = self.program.held(whole.op.results[number]).parts
        access = tuple(
            Along(dimension, 1, _start_of(index, starts, 0))
            for dimension, index in enumerate(tile.maps[tile.inputs + number])
        )
        origin = Origin(part.origin.key, summed, terms)
        return Held(shape, (Part(whole_box(shape), origin, access, done, tile.op),))

    def _check_whole(self, value: SSAValue, other: SSAValue) -> None:
        if shape_of(value) != shape_of(other):
            raise MismatchError("looks up a part of a table")
        shape = shape_of(value)
        self._check(self.held(value), whole_box(shape), self.program.held(other), [0] * len(shape))

    def _check(self, held: Held, region: Box, want: Held, shift: Shift) -> None:
        self.decisions.append(check_holds(held, region, want, shift))

    def other_results(self, op: Operation) -> list[Held]:
        """What an operation without loops makes: a reshape of a piece, or the whole again."""
        failure = MismatchError("is nothing that the whole program computes")
        tensors = [operand for operand in op.operands if is_tensor(operand)]
        key = self._key([(self.held(value), whole_box(shape_of(value))) for value in tensors])
        for whole in self.program.others.get((other_kind(op), key), []):
            try:
                if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
                    return [self._reshaped(op, whole)]
                for mine, other in zip(op.operands, whole.operands, strict=True):
                    if is_tensor(mine):
                        self._check_whole(mine, other)
                return [
                    Held(shape_of(mine), self.program.held(other).parts)
                    for mine, other in zip(op.results, whole.results, strict=True)
                ]
            except MismatchError as error:
                failure = error
        raise failure

    def _reshaped(
        self, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp, whole: Operation
    ) -> Held:
        held, want = self.held(op.src), self.program.held(whole.operands[0])
        region = whole_box(held.shape)
        failure = MismatchError("reshapes another tensor")
        shape = shape_of(op.results[0])
        extents = (shape_of(whole.operands[0]), shape_of(whole.results[0]))
        for shift in _shifts(held, region, want):
            for dimension, (mine, extent) in enumerate(zip(held.shape, extents[0], strict=True)):
                if mine == extent:
                    shift[dimension] = 0
            try:
                self._check(held, region, want, shift)
                starts = _reshaped_starts(op, shift, shape, *extents)
            except MismatchError as error:
                failure = error
                continue
            [part] = self.program.held(whole.results[0]).parts
            access = tuple(Along(d, 1, start) for d, start in enumerate(starts))
            return Held(shape, (Part(whole_box(shape), part.origin, access, 0, op),))
        raise failure


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


def _check_order(whole: Computation, partial: Sequence[int]) -> None:
    """Sums may be cut where every element is added up in the same order."""
    long = [d for d in whole.reduced if whole.loops[d] > 1]
    type_ = whole.op.results[0].type
    assert isinstance(type_, TensorType)
    if len(partial) > 1 or len(whole.op.results) > 1:
        raise MismatchError("adds up a part of the sum along several loops")
    if partial[0] != long[0] and not isinstance(type_.get_element_type(), IntegerType):
        raise MismatchError("adds up in another order than the whole program")


def _reshaped_starts(
    op: tensor.ExpandShapeOp | tensor.CollapseShapeOp,
    shift: Shift,
    shape: Sequence[int],
    source: Sequence[int],
    result: Sequence[int],
) -> list[int | None]:
    """Where a reshaped tile starts in the reshaped whole; raises MismatchError if it is no box."""
    groups = [[entry.value.data for entry in group.data] for group in op.reassociation.data]
    tile = shape_of(op.src)
    starts: list[int | None] = [0] * len(result)
    for one, many in enumerate(groups):
        if isinstance(op, tensor.CollapseShapeOp):
            at = [shift[d] for d in many]
            sizes, extents = [tile[d] for d in many], [source[d] for d in many]
            if any(a is None for a in at):
                starts[one] = None
                continue
            _check_run([a or 0 for a in at], sizes, extents)
            total = 0
            for a, extent in zip(at, extents, strict=True):
                total = total * extent + (a or 0)
            starts[one] = total
            continue
        begin = shift[one]
        sizes, extents = [shape[d] for d in many], [result[d] for d in many]
        if begin is None:
            for d in many:
                starts[d] = None
            continue
        found: list[int] = []
        for extent in reversed(extents):
            begin, index = divmod(begin, extent)
            found.append(index)
        _check_run(found[::-1], sizes, extents)
        for d, index in zip(many, found[::-1], strict=True):
            starts[d] = index
    return starts


def _check_run(at: Sequence[int], sizes: Sequence[int], extents: Sequence[int]) -> None:
    """Check that a box is one run of elements."""
    first = next((i for i, size in enumerate(sizes) if size > 1), len(sizes))
    for i, (a, size, extent) in enumerate(zip(at, sizes, extents, strict=True)):
        if a + size > extent or (i > first and (a, size) != (0, extent)):
            raise MismatchError("reshapes what is no run of elements")
