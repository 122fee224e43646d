"""Tensors of a group while its tiles are emitted: fetched, made, kept, written out."""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.tiling_models.tile_values import (
    box_shape,
    empty,
    remake,
    shape_of,
    tile_type,
)
from xdsl_memplan.model.split_graph import (
    Box,
    whole,
)
from xdsl_memplan.model.tiling_plan import Fetch
from xdsl_memplan.transforms.expand_groups.axes import Place, Position
from xdsl_memplan.transforms.expand_groups.borders import Border
from xdsl_memplan.transforms.expand_groups.bundles import Bundle, BundlePlace
from xdsl_memplan.transforms.expand_groups.group_facts import GroupFacts
from xdsl_memplan.transforms.expand_groups.look_alikes import (
    box_in,
    is_empty,
    repeating_cuts,
)
from xdsl_memplan.transforms.expand_groups.windows import (
    BoxAt,
    Window,
    concatenated,
    inserted,
    whole_window,
)


@dataclass
class TensorsAtHand:
    """The values of tensors where code is being emitted."""

    facts: GroupFacts
    windows: dict[int, Window] = field(default_factory=dict[int, Window])
    """Tensors at hand in the tile that is being emitted."""
    outputs: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What was written so far of those that are read outside and are no part of a bundle."""
    overlaps: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What was kept from the tile before."""
    borders: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What was kept from the row of tiles before, and what this row keeps."""
    bundles: dict[Bundle, SSAValue] = field(default_factory=dict[Bundle, SSAValue])
    """What is in the bundles that are read or written to."""

    def __post_init__(self) -> None:
        self.group, self.layout = self.facts.group, self.facts.layout

    def take(self, tensor_: int, place: Place, box: BoxAt) -> SSAValue:
        """The part of a tensor in a box, fetched or made again where it is not there."""
        if tensor_ >= len(self.group.values):
            rank = len(self.group.graph.tensors[tensor_].shape)
            return self._in_bundle(self.group.places[tensor_], rank).load(place, box)
        value = self.group.values[tensor_]
        if self.group.graph.tensors[tensor_].kind == "fill":
            return remake(value, box_shape(box(place.position)), place.builder)
        return self.window(tensor_, place).take(place, box)

    def window(self, tensor_: int, place: Place) -> Window:
        """What is at hand of a tensor; of one from outside it is fetched first."""
        window = self.windows.get(tensor_)
        if window is not None:
            return window
        fetch = self.facts.fetches.get(tensor_)
        if fetch is None or fetch.kind == "resident":
            return self.outside(tensor_)
        self._fetch(tensor_, place)
        # Of a tensor without elements nothing is loaded.
        return self.windows.get(tensor_) or self.outside(tensor_)

    def outside(self, tensor_: int) -> Window:
        """All of a tensor from outside, or of the bundle that it lies in."""
        at = self.group.places.get(tensor_)
        result = self.facts.over_by.get(tensor_)
        # What tiles have not written over yet is as it was.
        value = self.group.values[tensor_] if result is None else self.outputs[result]
        return whole_window(value) if at is None else self._in_bundle(at, len(shape_of(value)))

    def _in_bundle(self, at: BundlePlace, rank: int) -> Window:
        starts = at.starts(rank)
        return Window(self.bundles[at.bundle], lambda _: starts)

    def _starts(self, tensor_: int) -> Callable[[Position], tuple[int, ...]]:
        spans = self.layout.tensors[tensor_]

        def starts(position: Position) -> tuple[int, ...]:
            return tuple(a for a, _ in box_in(self.layout, spans, position))

        return starts

    def _fetch(self, tensor_: int, place: Place) -> None:
        """Load what a tile needs of a tensor from outside and does not have yet."""
        spans = self.layout.tensors[tensor_]

        def box(position: Position) -> Box:
            return box_in(self.layout, spans, position)

        if is_empty(box(place.position)):
            self.keep_at_hand(tensor_, place)
            return
        value = self.outside(tensor_).load(place, box)
        self._at_hand(tensor_, value, place)

    def prefetch(self, level: int, place: Place) -> None:
        """Load what inner loops read and do not change."""
        for fetch in self.layout.fetches:
            if fetch.kind != "fetched" or fetch.level != level or fetch.tensor in self.windows:
                continue
            if self.facts.deepest.get(fetch.tensor, 0) <= level:
                continue  # Loaded where it is read, after the inner loops perhaps.
            box = box_in(self.layout, self.layout.tensors[fetch.tensor], place.position)
            if not is_empty(box) or fetch.tensor in self.overlaps:
                self._fetch(fetch.tensor, place)

    def load_kept(self, fetch: Fetch, place: Place) -> None:
        """Load what all tiles read of a tensor that stays for all of them: nothing, perhaps."""
        box: list[tuple[int, int]] = []
        for span in self.layout.tensors[fetch.tensor]:
            if span.driven:
                ranges = self.layout.tracks[span.first][span.second].new
                busy = [(a, b) for a, b in ranges if a < b]
                if not busy:
                    return  # All tiles lie in padding.
                box.append((min(a for a, _ in busy), max(b for _, b in busy)))
            else:
                box.append((span.first, span.second))
        value = self.outside(fetch.tensor).load(place, lambda _: tuple(box))
        first = tuple(a for a, _ in box)
        self.windows[fetch.tensor] = Window(value, lambda _: first)

    def made(self, tensor_: int, value: SSAValue, place: Place) -> None:
        """A box of a tensor is there: hand it on, and write it where it is wanted.

        One of several results that nobody reads is no tensor of the layout, and goes nowhere.
        """
        if tensor_ not in self.layout.tensors:
            return
        if tensor_ in self.facts.copied:
            box = whole(shape_of(value))
            value = whole_window(value).carry(place, lambda _: box, None)
        if tensor_ in self.group.homes:
            self._write(tensor_, value, place)
        self._at_hand(tensor_, value, place)

    def _at_hand(self, tensor_: int, value: SSAValue | None, place: Place) -> None:
        """Put a new box, if any, below what the row before left and behind what was kept."""
        border = self.facts.borders.get(tensor_)
        if border is not None and border.is_read(place.position):
            above = self._found(border, place)
            parts = [part for part in (above, value) if part is not None]
            value = concatenated(parts, border.rows.dimension, place) if parts else None
        kept = self.overlaps.get(tensor_)
        cached = self.facts.cached_track(tensor_)
        if kept is not None and cached is not None:
            parts = [kept] if value is None else [kept, value]
            value = concatenated(parts, cached[0], place)
        if value is not None:
            starts = self._starts_at_hand(tensor_, is_behind_kept=kept is not None)
            self.windows[tensor_] = Window(value, starts)

    def keep_at_hand(self, tensor_: int, place: Place) -> None:
        """Nothing new: what was kept is all there is."""
        self._at_hand(tensor_, None, place)

    def _starts_at_hand(
        self, tensor_: int, *, is_behind_kept: bool
    ) -> Callable[[Position], tuple[int, ...]]:
        starts = self._starts(tensor_)
        border = self.facts.borders.get(tensor_)
        cached = self.facts.cached_track(tensor_) if is_behind_kept else None
        if border is None and cached is None:
            return starts

        def starts_at_hand(position: Position) -> tuple[int, ...]:
            found = list(starts(position))
            if border is not None:
                found[border.rows.dimension] = border.rows.at_hand(position)[0]
            if cached is not None:
                dimension, track = cached
                cut = self.layout.tensors[tensor_][dimension].first
                found[dimension] = track.overlap(position[cut])[0]
            return tuple(found)

        return starts_at_hand

    def start_borders(self, cut: int, place: Place) -> None:
        """Make room for what rows of tiles keep, where the tiles of a cut are such rows."""
        for tensor_, border in self.facts.borders.items():
            shape = border.shape(place.position) if border.rows.cut == cut else []
            if shape and all(shape):
                type_ = tile_type(self.group.values[tensor_].type, shape)
                self.borders[tensor_] = empty(type_, place.builder)

    def end_borders(self, cut: int) -> None:
        """Forget what the rows of a cut have kept: there are no more of them."""
        for tensor_, border in self.facts.borders.items():
            if border.rows.cut == cut:
                self.borders.pop(tensor_, None)

    def _found(self, border: Border, place: Place) -> SSAValue | None:
        """The part of a tile of what the row before has left."""
        if is_empty(border.found(place.position)):
            return None
        return Window(self.borders[border.tensor], border.starts_found).take(place, border.found)

    def _leave(self, border: Border, window: Window, place: Place) -> None:
        """Leave what the next row needs of what is at hand."""
        position = place.position
        if not border.is_changed(position) or is_empty(border.left(position)):
            return
        target = self.borders[border.tensor]
        offsets = Window(target, border.starts_left).offsets(place, border.left)
        part = window.take(place, border.left)
        self.borders[border.tensor] = inserted(part, target, offsets, place)

    def keep(self, tensor_: int, place: Place) -> None:
        """Copy what the next tile, and the next row of tiles, need again."""
        if tensor_ in self.facts.fetches and tensor_ not in self.windows:
            self._fetch(tensor_, place)  # Nothing reads it yet, or any more.
        window = self.windows.get(tensor_)
        if window is None:
            return
        border = self.facts.borders.get(tensor_)
        if border is not None:
            self._leave(border, window, place)
        self._keep_for_next(tensor_, window, place)

    def _keep_for_next(self, tensor_: int, window: Window, place: Place) -> None:
        cached = self.facts.cached_track(tensor_)
        if cached is None:
            return
        dimension, track = cached
        border = self.facts.borders.get(tensor_)
        spans = self.layout.tensors[tensor_]
        cut = spans[dimension].first

        def box(position: Position) -> Box:
            found = list(box_in(self.layout, spans, position))
            if border is not None:
                found[border.rows.dimension] = border.rows.at_hand(position)
            found[dimension] = track.overlap(position[cut] + 1)
            return tuple(found)

        if is_empty(box(place.position)):
            self.overlaps.pop(tensor_, None)
            return
        if box_shape(box(place.position)) == shape_of(window.value):
            # All of it: a copy would take as much room again.
            self.overlaps[tensor_] = window.value
            return
        before = self.overlaps.get(tensor_)
        self.overlaps[tensor_] = window.carry(place, box, before)

    def _write(self, tensor_: int, value: SSAValue, place: Place) -> None:
        """Write a new box of a tensor to where readers outside of the group find it."""
        home = self.group.homes[tensor_]
        at = self.group.places.get(tensor_)
        if at is None and tensor_ not in self.outputs:
            self.outputs[tensor_] = value
            return
        spans = self.layout.tensors[tensor_]
        if any(place.position[cut] > 0 for cut in repeating_cuts(self.layout, tensor_)):
            return  # It is computed again; the first tile of that cut has written it.

        def box(position: Position) -> Box:
            found = list(box_in(self.layout, spans, position))
            for dimension, span in enumerate(spans):
                is_shifted = span.driven and self.group.cuts[span.first].halo == "shift"
                if span.driven and not is_shifted and position[span.first] > 0:
                    # What an earlier tile has written already is computed again, not written,
                    # unless all tiles are to look alike.
                    track = self.layout.tracks[span.first][span.second]
                    before = max(b for _, b in track.new[: position[span.first]])
                    start, stop = found[dimension]
                    found[dimension] = (min(max(start, before), stop), stop)
            return tuple(found)

        if is_empty(box(place.position)):
            return
        part = Window(value, self._starts(tensor_)).take(place, box)
        if at is not None:
            room = self._in_bundle(at, len(spans))
            store = StoreOp(part, room.value, at.bundle.home, room.offsets(place, box))
            self.bundles[at.bundle] = place.builder.insert(store).result
            return
        target = self.outputs[tensor_]
        offsets = whole_window(target).offsets(place, box)
        if home is not None:
            written = place.builder.insert(StoreOp(part, target, home, offsets)).result
        else:
            written = inserted(part, target, offsets, place)
        self.outputs[tensor_] = written
