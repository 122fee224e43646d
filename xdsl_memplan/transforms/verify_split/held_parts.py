"""What a tensor of the tiled program holds: parts of tensors of the whole program."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from xdsl.ir import Operation

Box = tuple[tuple[int, int], ...]
"""Half-open ranges, one per dimension."""


class Along(NamedTuple):
    """Index `shift + step * p[dim]` of one dimension of a tensor of the whole program.

    Without a `dim` it is `shift`. A shift of None is any: the elements are the same all along.
    """

    dim: int | None
    step: int
    shift: int | None

    def at(self, point: Sequence[int]) -> int | None:
        """The index that belongs to a local index."""
        if self.shift is None or self.dim is None:
            return self.shift
        return self.shift + self.step * point[self.dim]

    def moved(self, by: Sequence[int | None]) -> "Along":
        """The same elements, where local index `p` has become `p + by`."""
        if self.dim is None or self.shift is None:
            return self
        distance = by[self.dim]
        return self._replace(shift=None if distance is None else self.shift - self.step * distance)


@dataclass(frozen=True)
class Apart:
    """Where elements are inserted with others between them: `counts` of them, `steps` apart."""

    offsets: tuple[int, ...]
    counts: tuple[int, ...]
    steps: tuple[int, ...]
    between: "Origin"
    """The origin of what lies between them."""

    def is_between(self, box: Box) -> bool:
        """Tell whether a box lies between the elements that are inserted."""
        for (a, b), offset, count, step in zip(
            box, self.offsets, self.counts, self.steps, strict=True
        ):
            first, last = (-((offset - place) // step) for place in (a, b))
            if max(first, 0) >= min(last, count):
                return True
        return False


@dataclass(frozen=True)
class Row:
    """Tensors that are concatenated, taken for parts of one tensor: part `n` ends at `ends[n]`."""

    along: int
    ends: tuple[int, ...]

    def members(self, first: int, end: int) -> range:
        """The numbers of the tensors that indices `first` to `end - 1` are of."""
        return range(bisect_right(self.ends, first), bisect_left(self.ends, end) + 1)


@dataclass(frozen=True)
class Origin:
    """A tensor of the whole program, or one value everywhere; or several tensors in a `row`.

    Of a sum that tiles add up, `summed` are the loops that it runs along, outermost first, `terms`
    how many iterations they have together.
    """

    key: object
    summed: tuple[int, ...] = ()
    terms: int = 0
    apart: Apart | None = field(default=None, compare=False)
    """Of elements set apart: which ones are between them."""
    row: Row | None = field(default=None, compare=False)

    def of_sum(self, summed: tuple[int, ...], terms: int) -> "Origin":
        """The sum that is added up to this."""
        return Origin(self.key, summed, terms, row=self.row)


UNDEFINED = Origin(None)
"""Elements that nobody has written: anything will do."""


@dataclass(frozen=True)
class Part:
    """The elements of a box of a tensor, and what they are."""

    box: Box
    origin: Origin
    access: tuple[Along, ...]
    done: int = 0
    """Of a sum that tiles add up: iterations that are in it, from the first."""
    by: Operation | None = field(default=None, compare=False)
    """What wrote it."""

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing has to be added."""
        return self.done == self.origin.terms

    def same(self, other: "Part") -> bool:
        """Tell whether two parts are of one piece, as far as their boxes allow."""
        return (
            self.origin == other.origin and self.done == other.done and self.access == other.access
        )

    def moved(self, by: Sequence[int]) -> "Part":
        """The part in a tensor in which index `p` has become `p + by`."""
        box = tuple((a + d, b + d) for (a, b), d in zip(self.box, by, strict=True))
        return replace(self, box=box, access=tuple(along.moved(by) for along in self.access))


def tensors_of(part: Part, box: Box) -> frozenset[object]:
    """The tensors of the whole program that a box of a part is of; of one without a row, one."""
    row = part.origin.row
    if row is None:
        return frozenset((part.origin.key,))
    along = part.access[row.along]
    if along.shift is None:
        return frozenset((part.origin.key, number) for number in range(len(row.ends)))
    start, end = (0, 1) if along.dim is None else box[along.dim]
    members = row.members(
        along.shift + along.step * start, along.shift + along.step * (end - 1) + 1
    )
    return frozenset((part.origin.key, number) for number in members)


def share_a_tensor(one: Part, box: Box, other: Part, other_box: Box) -> bool:
    """Tell whether boxes of two parts are of the same tensor of the whole program."""
    if one.origin.row is None and other.origin.row is None:
        return one.origin.key == other.origin.key
    return bool(tensors_of(one, box) & tensors_of(other, other_box))


@dataclass(frozen=True)
class Held:
    """What a tensor holds; nothing where no part is."""

    shape: tuple[int, ...]
    parts: tuple[Part, ...]


def whole_box(shape: Sequence[int]) -> Box:
    """All of a tensor."""
    return tuple((0, extent) for extent in shape)


def meet(one: Box, other: Box) -> Box | None:
    """What two boxes share; None if they share nothing."""
    shared: list[tuple[int, int]] = []
    for (a, b), (c, d) in zip(one, other, strict=True):
        low, high = a if a > c else c, b if b < d else d
        if low >= high:
            return None
        shared.append((low, high))
    return tuple(shared)


def without(box: Box, hole: Box) -> Iterator[Box]:
    """Cut a box into what a hole leaves of it; at most two boxes per dimension."""
    shared = meet(box, hole)
    if shared is None:
        yield box
        return
    rest = list(box)
    for dimension, ((a, b), (c, d)) in enumerate(zip(box, shared, strict=True)):
        for piece in ((a, c), (d, b)):
            if piece[0] < piece[1]:
                yield (*rest[:dimension], piece, *rest[dimension + 1 :])
        rest[dimension] = (c, d)


def left_of(boxes: list[Box], hole: Box) -> list[Box]:
    """What a hole leaves of boxes."""
    if len(boxes) == 1 and boxes[0] == hole:
        return []  # Nearly always.
    return [piece for box in boxes for piece in without(box, hole)]


def overwritten(held: Held, parts: Sequence[Part], region: Box) -> Held:
    """What a tensor holds after a region of it was replaced."""
    kept = [
        part if box is part.box else replace(part, box=box)
        for part in held.parts
        for box in without(part.box, region)
    ]
    return Held(held.shape, glued(parts, kept))


def glued(parts: Sequence[Part], kept: Sequence[Part] = ()) -> tuple[Part, ...]:
    """Add parts to those that are kept, and make one of those that continue each other."""
    found = list(kept)
    for part in parts:
        _add(found, part)
    return tuple(found)


def _add(parts: list[Part], new: Part) -> None:
    """Add a part, and glue it to those that it continues."""
    is_glued = True
    while is_glued:
        is_glued = False
        for number, part in enumerate(parts):
            if part.same(new) and (box := _one_box(part.box, new.box)) is not None:
                new = replace(part, box=box)
                del parts[number]
                is_glued = True
                break
    parts.append(new)


def _one_box(one: Box, other: Box) -> Box | None:
    """One box for two that lie next to each other; None if they do not."""
    different = [d for d, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(different) != 1:
        return one if not different else None
    [d] = different
    (a, b), (c, e) = one[d], other[d]
    if b != c and a != e:
        return None
    return (*one[:d], (min(a, c), max(b, e)), *one[d + 1 :])


def clipped(held: Held, region: Box, steps: Sequence[int], kept: Sequence[int]) -> Held:
    """A slice: every `steps`-th element of a region, without the dimensions not `kept`."""
    shape = tuple(-(-(region[d][1] - region[d][0]) // steps[d]) for d in kept)
    place = {dimension: number for number, dimension in enumerate(kept)}
    parts: list[Part] = []
    for part in held.parts:
        shared = meet(part.box, region)
        if shared is None:
            continue
        box: list[tuple[int, int]] = []
        for (a, b), (start, _), step in zip(shared, region, steps, strict=True):
            box.append((-(-(a - start) // step), -(-(b - start) // step)))
        if any(a >= b for a, b in box):
            continue
        access = tuple(
            along
            if along.dim is None
            else Along(
                place.get(along.dim),
                along.step * steps[along.dim],
                None if along.shift is None else along.shift + along.step * region[along.dim][0],
            )
            for along in part.access
        )
        parts.append(replace(part, box=tuple(box[d] for d in kept), access=access))
    return Held(shape, tuple(parts))
