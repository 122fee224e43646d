"""What a row of tiles keeps of a tensor for the next row, in one tensor for all tiles of a row.

A cut with another within makes rows of tiles. Where both keep their halo, a tile finds what is
above it in the *border*, where tiles of the row before have left it, and leaves there what the row
below needs. It writes behind what later tiles of its own row still read, so one border is enough:

    row before:   |         |         |  read   |  read   |
    this row:     | written | written |
                                      ^ this tile
"""

from dataclasses import dataclass
from typing import TypeVar

from xdsl_memplan.model.split_graph import Box
from xdsl_memplan.model.tiling_plan import GroupLayout, Track
from xdsl_memplan.transforms.expand_groups.axes import Position
from xdsl_memplan.transforms.expand_groups.look_alikes import box_in


@dataclass(frozen=True)
class _Along:
    """A dimension in which a box follows a cut."""

    dimension: int
    cut: int
    track: Track

    def at_hand(self, position: Position) -> tuple[int, int]:
        """What was kept and what is new in a tile."""
        tile = position[self.cut]
        start, stop = self.track.overlap(tile)
        new_start, new_stop = self.track.new[tile]
        return (start if start < stop else new_start), new_stop

    def done(self, position: Position) -> tuple[int, int]:
        """What is at hand in a tile and not in the next."""
        first, end = self.at_hand(position)
        start, stop = self.track.overlap(position[self.cut] + 1)
        return first, (start if start < stop else end)

    def reach(self) -> tuple[int, int]:
        """What any tile computes."""
        busy = [(start, stop) for start, stop in self.track.new if start < stop]
        return min(start for start, _ in busy), max(stop for _, stop in busy)


@dataclass(frozen=True)
class Border:
    """The border of a tensor."""

    layout: GroupLayout
    tensor: int
    rows: _Along
    """The cut that makes rows."""
    within: tuple[_Along, ...]
    """The cuts within rows."""

    def is_read(self, position: Position) -> bool:
        """Tell whether a row finds anything."""
        start, stop = self.rows.track.overlap(position[self.rows.cut])
        return start < stop

    def is_changed(self, position: Position) -> bool:
        """Tell whether a row leaves anything else than it finds."""
        row = position[self.rows.cut]
        found, left = (self.rows.track.overlap(tile) for tile in (row, row + 1))
        return left[0] < left[1] and found != left

    def shape(self, position: Position) -> list[int]:
        """Room for what any row leaves, in a tile of the cuts around the rows."""
        sizes: list[int] = []
        for span in self.layout.tensors[self.tensor]:
            start, stop = span.first, span.second
            if span.driven:
                is_around = span.first < self.rows.cut
                new = self.layout.tracks[span.first][span.second].new
                start, stop = new[position[span.first]] if is_around else (0, 0)
            sizes.append(stop - start)
        overlaps = map(self.rows.track.overlap, range(len(self.rows.track.new)))
        sizes[self.rows.dimension] = max(stop - start for start, stop in overlaps)
        for along in self.within:
            start, stop = along.reach()
            sizes[along.dimension] = stop - start
        return sizes

    def found(self, position: Position) -> Box:
        """What a tile reads of the row before."""
        above = self.rows.track.overlap(position[self.rows.cut])
        return _with(self._box(position), self.rows.dimension, above)

    def starts_found(self, position: Position) -> tuple[int, ...]:
        """Where the border starts as the row before left it."""
        return self._starts(position, position[self.rows.cut])

    def left(self, position: Position) -> Box:
        """What a tile leaves for the next row."""
        below = self.rows.track.overlap(position[self.rows.cut] + 1)
        box = _with(self._box(position), self.rows.dimension, below)
        for along in self.within:
            box = _with(box, along.dimension, along.done(position))
        return box

    def starts_left(self, position: Position) -> tuple[int, ...]:
        """Where the border starts as this row leaves it."""
        return self._starts(position, position[self.rows.cut] + 1)

    def _box(self, position: Position) -> Box:
        return box_in(self.layout, self.layout.tensors[self.tensor], position)

    def _starts(self, position: Position, row: int) -> tuple[int, ...]:
        starts = tuple(start for start, _ in self._box(position))
        starts = _with(starts, self.rows.dimension, self.rows.track.overlap(row)[0])
        for along in self.within:
            starts = _with(starts, along.dimension, along.reach()[0])
        return starts


_Value = TypeVar("_Value")


def _with(values: tuple[_Value, ...], index: int, value: _Value) -> tuple[_Value, ...]:
    return (*values[:index], value, *values[index + 1 :])


def border_of(layout: GroupLayout, tensor: int) -> Border | None:
    """The border of a tensor, if rows of tiles keep anything of it.

    Of the dimensions that follow a cut with others within, one at the most is kept.
    """
    follows = [
        _Along(dimension, span.first, layout.tracks[span.first][span.second])
        for dimension, span in enumerate(layout.tensors[tensor])
        if span.driven
    ]
    innermost = max((along.cut for along in follows), default=0)
    for rows in follows:
        if rows.cut < innermost and rows.track.keeps_anything:
            within = tuple(along for along in follows if along.cut > rows.cut)
            return Border(layout, tensor, rows, within)
    return None
