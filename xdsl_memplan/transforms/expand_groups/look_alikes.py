"""Which tiles of a cut look alike, so that one loop body can compute them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    Index,
    Indirect,
    Reshape,
    SplitGraph,
    SplitOperand,
    Whole,
    index_signature,
    reshape_operand_box,
    reshape_signature,
)
from xdsl_memplan.model.tiling_plan import GroupLayout, Span, Track
from xdsl_memplan.transforms.expand_groups.axes import Position
from xdsl_memplan.transforms.expand_groups.shifted_tiles import ShiftedTiles
from xdsl_memplan.transforms.expand_groups.tile_runs import (
    Run,
    runs_of_shifted_tiles,
    runs_of_tiles,
)


def box_in(layout: GroupLayout, spans: Iterable[Span], position: Position) -> Box:
    """The box of a tensor, or of loops, in a tile; it may be empty."""
    tracks = layout.tracks
    return tuple(
        [
            tracks[first][second].new[position[first]] if driven else (first, second)
            for driven, first, second in spans
        ]
    )


def is_empty(box: Box) -> bool:
    """Tell whether a box has no element."""
    return any(start >= stop for start, stop in box)


def repeating_cuts(layout: GroupLayout, tensor: int) -> list[int]:
    """The cuts of which every tile computes the same of a tensor: others inside of them cut it."""
    driving = {span.first for span in layout.tensors[tensor] if span.driven}
    return [cut for cut in range(max(driving, default=0)) if cut not in driving]


def kept_track(layout: GroupLayout, tensor: int) -> tuple[int, Track] | None:
    """The dimension of a tensor along which a tile keeps a part for the next, and its track."""
    spans = layout.tensors[tensor]
    innermost = max((span.first for span in spans if span.driven), default=0)
    for dimension, span in enumerate(spans):
        if span.driven and span.first == innermost:
            track = layout.tracks[span.first][span.second]
            if track.keeps_anything:
                return dimension, track
    return None


def runs_of_cut(
    graph: SplitGraph,
    layout: GroupLayout,
    cut: int,
    outputs: Collection[int],
    shifted: ShiftedTiles | None = None,
) -> list[Run]:
    """Runs of tiles of a cut that look alike.

    In a run all boxes keep their sizes and advance by the same step, those that operations read,
    those that are kept, and what is new of `outputs` (tensors) among them. Operands that are read
    alike are looked at once. With `shifted`, where a cut is, all advance by the same step but for
    the ends of the run. O(tiles * (tracks + kinds of operands)).
    """
    tiles = layout.tiles(cut)
    columns = _Columns(tiles)
    if any(cut in repeating_cuts(layout, tensor) for tensor in outputs):
        columns.same([tile == 0 for tile in range(tiles)])  # Only the first one writes.
    used = _tracks_of(cut, (*layout.loops.values(), *layout.tensors.values()))
    written = _tracks_of(cut, (layout.tensors[tensor] for tensor in outputs))
    for number in sorted(used):
        _add_track(
            columns, layout.tracks[cut][number], is_written=number in written and shifted is None
        )
    seen: set[object] = set()
    for number, spans in layout.loops.items():
        op = graph.ops[number]
        if not op.splittable or not any(_follows(span, cut) for span in spans):
            continue
        elsewhere: Position | None = None
        for operand in op.operands:
            alike = _alike(shifted, number, cut, operand)
            for part in _parts_that_vary(operand, spans, cut, alike):
                key = (part, tuple(spans[loop] for loop in _loops_in(part)), op.loops)
                if key in seen:
                    continue
                seen.add(key)
                elsewhere = elsewhere or _tile_with_work(layout, spans)
                _add_reads(columns, layout, op.loops, spans, part, cut, elsewhere)
    find = runs_of_tiles if shifted is None else runs_of_shifted_tiles
    return find(columns.lengths, columns.starts)


_Part: TypeAlias = tuple[Index, int] | tuple[Reshape, tuple[int, ...]]
"""Dimensions of an operand: an index and the extent, or all of a reshape and the shape."""


@dataclass
class _Columns:
    """What is compared of tiles: numbers that stay the same in a run, and that advance evenly."""

    tiles: int
    same_: list[Sequence[object]] = field(default_factory=list[Sequence[object]])
    even: list[Sequence[int]] = field(default_factory=list[Sequence[int]])

    def same(self, column: Sequence[object]) -> None:
        """Add what is the same in all tiles of a run."""
        self.same_.append(column)

    def ranges(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Add ranges that keep their size and advance evenly."""
        self.same_.append([stop - start for start, stop in ranges])
        self.even.append([start if stop > start else 0 for start, stop in ranges])

    @property
    def lengths(self) -> list[tuple[object, ...]]:
        """What stays the same, per tile."""
        return _rows(self.same_, self.tiles)

    @property
    def starts(self) -> list[tuple[int, ...]]:
        """What advances evenly, per tile."""
        return _rows(self.even, self.tiles)


_Entry = TypeVar("_Entry")


def _rows(columns: Sequence[Sequence[_Entry]], count: int) -> list[tuple[_Entry, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _follows(span: Span, cut: int) -> bool:
    return span.driven and span.first == cut


def _tracks_of(cut: int, spans: Iterable[Iterable[Span]]) -> set[int]:
    return {span.second for some in spans for span in some if _follows(span, cut)}


def _add_track(columns: _Columns, track: Track, *, is_written: bool) -> None:
    columns.ranges(track.new)
    if track.keep:
        overlaps = [track.overlap(tile) for tile in range(columns.tiles + 1)]
        columns.ranges(overlaps[:-1])
        columns.ranges(overlaps[1:])
    if is_written:
        rest: list[tuple[int, int]] = []
        done = 0
        for start, stop in track.new:
            rest.append((min(max(start, done), stop), stop))
            done = max(done, stop)
        columns.ranges(rest)


def _alike(
    shifted: ShiftedTiles | None, number: int, cut: int, operand: SplitOperand
) -> AbstractSet[int]:
    """Dimensions of an operand, or of the result of a reshape, that need not be compared."""
    if shifted is None:
        return frozenset()
    if isinstance(operand.access, Reshape):
        return shifted.reshaped(number, cut)
    return shifted.padded(number, cut)


def _parts_that_vary(
    operand: SplitOperand, spans: Sequence[Span], cut: int, but: AbstractSet[int]
) -> Iterator[_Part]:
    """The dimensions of an operand whose ranges depend on the tile of a cut, but some.

    Those of a reshape are counted by the result's.
    """
    match operand.access:
        case Affine(indices):
            for dimension, (index, extent) in enumerate(zip(indices, operand.shape, strict=True)):
                if dimension not in but and any(
                    _follows(spans[loop], cut) for loop, _ in index.terms
                ):
                    yield index, extent
        case Reshape(groups):
            yield (
                Reshape(tuple(group for group in groups if but.isdisjoint(group[0]))),
                operand.shape,
            )
        case Whole() | Indirect():
            pass


def _loops_in(part: _Part) -> list[int]:
    what, _ = part
    if isinstance(what, Index):
        return [loop for loop, _ in what.terms]
    return [loop for loops, _ in what.groups for loop in loops]


def _add_reads(
    columns: _Columns,
    layout: GroupLayout,
    extents: Sequence[int],
    spans: Sequence[Span],
    part: _Part,
    cut: int,
    elsewhere: Position,
) -> None:
    """Add what tiles read of some dimensions of an operand, and where the tile lies in that."""
    what, _ = part
    # Loops that follow other cuts stay where they are.
    loops = list(box_in(layout, spans, elsewhere))
    varied = [
        (loop, layout.tracks[cut][span.second].new)
        for loop, span in enumerate(spans)
        if _follows(span, cut)
    ]
    signatures: list[object] = []
    starts: list[tuple[int, ...]] = []
    for tile in range(columns.tiles):
        is_idle = False
        for loop, new in varied:
            loops[loop] = start, stop = new[tile]
            is_idle = is_idle or start >= stop
        if is_idle:
            signatures.append(None)  # Nothing is computed.
            starts.append(())
            continue
        signature, start = _read_of(part, loops, extents)
        signatures.append(signature)
        starts.append(start)
    columns.same(signatures)
    if isinstance(what, Reshape):
        rank = max(map(len, starts), default=0)
        for dimension in range(rank):
            columns.even.append([start[dimension] if start else 0 for start in starts])


def _read_of(
    part: _Part, loops: Sequence[tuple[int, int]], extents: Sequence[int]
) -> tuple[object, tuple[int, ...]]:
    """What a tile looks like to an operand, and where what it reads starts."""
    what, size = part
    if isinstance(what, Index):
        assert isinstance(size, int)
        # The start advances with the loops where the rest stays the same.
        return index_signature(what, loops, size), ()
    assert not isinstance(size, int)
    box = reshape_operand_box(what.groups, loops, extents, size)
    starts = tuple(start if stop > start else 0 for start, stop in box)
    return reshape_signature(what, box, loops, size, extents), starts


def _tile_with_work(layout: GroupLayout, spans: Sequence[Span]) -> Position:
    """For each cut a tile that computes something of an operation: the middle one if it does."""
    found: list[int] = []
    for cut, tracks in enumerate(layout.tracks):
        used = [tracks[span.second] for span in spans if _follows(span, cut)]
        middle = layout.tiles(cut) // 2
        nonempty = (
            tile
            for tile in (middle, *range(layout.tiles(cut)))
            if all(start < stop for start, stop in (track.new[tile] for track in used))
        )
        found.append(next(nonempty, middle))
    return tuple(found)
