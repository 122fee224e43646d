"""Takes tensors out of slices where being there raises the peak.

A tensor that is put straight into a slice of a larger one saves a copy, and saves memory while both
would be there. But the larger one then takes its room from the first part to the last: early, while
the other parts do not exist, or late, while only a part is still read. At the tick of the peak,
tensors are taken out of slices, to be copied when the large tensor is assembled, as long as the
estimated peak falls.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from xdsl.ir import Block, Operation, OpResult, SSAValue

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import RetrieveOp
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.transforms.bufferize.place import Storage, View
from xdsl_memplan.transforms.bufferize.placement import Placement

_Entry = tuple[Operation, int]
_PATIENCE = 16
"""Moves after which the search ends, if neither the peak falls nor is at fewer ticks."""

_MOST_STARTS = 16
"""Parts of a tensor, the earliest, that may be taken out without all others."""


class _Held(NamedTuple):
    """A tensor in a storage, from the position that writes it to the last that reads it."""

    start: int
    end: int
    views: tuple[View, ...]


@dataclass(frozen=True)
class _Slice:
    """An operand that was put into a slice of what its operation assembles."""

    entry: _Entry
    position: int
    """Of the operation."""
    views: tuple[View, ...]
    size: int
    """Bytes of the operand."""

    def is_kept_alive(self, chain: Iterable[_Held], tick: int) -> bool:
        """Tell whether the storage lives at `tick` for what lies in the slice, `chain`."""
        if self.position > tick:
            return any(h.start <= tick for h in chain)
        return any(h.end >= tick for h in chain)


@dataclass
class _Room:
    """A storage with what it holds."""

    size: int
    held: list[_Held] = field(default_factory=list[_Held])
    slices: list[_Slice] = field(default_factory=list[_Slice])
    """Those that a tensor was put into."""
    largest: SSAValue | None = None
    """A tensor that is all of the storage, if there is one: it names it."""

    @cached_property
    def span(self) -> tuple[int, int]:
        """The positions of all that is held, which is asked for once all of that is there."""
        return _hull(self.held)


@dataclass(frozen=True)
class _Move:
    """Some tensors taken out of a storage, each to a storage of its own."""

    entries: list[_Entry]
    before: _Room
    after: _Room
    alone: list[_Room]


class Peak:
    """The estimated load of a placement over positions; sizes are multiples of the alignment."""

    def __init__(self, placement: Placement, alignment: int = 1) -> None:
        self.placement = placement
        self.positions = len(placement.liveness.position) + 1
        self.rooms = _rooms(placement, self.positions)
        self.load = np.zeros(self.positions + 1, dtype=np.int64)
        for room in self.rooms:
            room.size += -room.size % alignment
            self._add(room, room.size)

    @property
    def bytes(self) -> int:
        """The largest load."""
        return int(self.load.max(initial=0))

    def fullest(self) -> tuple[Operation | None, list[tuple[int, SSAValue]]]:
        """The operation at which the load is largest, and what is live then, largest first.

        Storages are bytes and a tensor that they hold.
        """
        tick = int(self.load.argmax())
        at = (op for op, position in self.placement.liveness.position.items() if position == tick)
        live = [
            (size, room.largest)
            for room in self.rooms
            if (size := _size_at(room, tick)) and room.largest is not None
        ]
        return next(at, None), sorted(live, key=lambda entry: -entry[0])

    def problem(self, alignment: int) -> Problem:
        """The storages as buffers that are to be placed, with positions for ticks."""
        spans = [room.span for room in self.rooms]
        return Problem(
            sizes=np.array([room.size for room in self.rooms], dtype=np.int64),
            starts=np.array([start for start, _ in spans], dtype=np.int64),
            ends=np.array([end + 1 for _, end in spans], dtype=np.int64),
            alignments=np.full(len(spans), alignment, dtype=np.int64),
        )

    def relieve(self) -> set[_Entry]:
        """Find operands to take out of slices so that the estimated peak falls.

        At the tick of the peak the move that frees most there is made, even if it raises the peak
        elsewhere, as the next move may help there. What counts is the lowest peak on the way. A
        network of equal blocks has the same peak in each: it is lower when all of them are.
        """
        taken: set[_Entry] = set()
        best = frozenset(taken)
        least, patience = self.bytes, _PATIENCE
        fewest = self._height()
        while patience:
            move = self._best_move(int(self.load.argmax()))
            if move is None:
                break
            self._apply(move)
            taken.update(move.entries)
            patience -= 1
            height = self._height()
            if height < fewest:
                fewest, patience = height, _PATIENCE
            if self.bytes < least:
                best, least = frozenset(taken), self.bytes
        return set(best)

    def _height(self) -> tuple[int, int]:
        """The largest load, and at how many ticks it is as large."""
        return self.bytes, int(np.count_nonzero(self.load == self.bytes))

    def with_other_slices(self, entries: set[_Entry]) -> set[_Entry]:
        """Add all other operands by which the same tensors could be put into a slice."""
        found = set(entries)
        for entry in entries:
            root, _ = self.placement.slices_taken[entry]
            uses = self.placement.liveness.content(root).uses
            found.update((use.op, use.index) for use in uses)
        return found

    def _best_move(self, tick: int) -> _Move | None:
        """The move that leaves the lowest peak where it changes the load, and frees most at it."""
        best: tuple[int, int, _Move] | None = None
        for room in self.rooms:
            start, end = room.span
            if not room.slices or not start <= tick <= end:
                continue
            for move in _moves(room, tick):
                gain = room.size - sum(_size_at(r, tick) for r in (move.after, *move.alone))
                if gain <= 0:
                    continue
                cost = self._peak_with(move)
                if best is None or (cost, -gain) < best[:2]:
                    best = cost, -gain, move
        return None if best is None else best[2]

    def _peak_with(self, move: _Move) -> int:
        """The largest load where the move changes it."""
        spans = [room.span for room in (move.before, move.after, *move.alone) if room.held]
        first, last = min(s for s, _ in spans), max(e for _, e in spans)
        part = self.load[first : last + 1].copy()
        for room, sign in ((move.before, -1), (move.after, 1), *((r, 1) for r in move.alone)):
            if room.held:
                start, end = room.span
                part[start - first : end - first + 1] += sign * room.size
        return int(part.max())

    def _apply(self, move: _Move) -> None:
        self._add(move.before, -move.before.size)
        self.rooms.remove(move.before)
        for room in (move.after, *move.alone):
            if room.held:
                self._add(room, room.size)
                self.rooms.append(room)

    def _add(self, room: _Room, size: int) -> None:
        start, end = room.span
        self.load[start : end + 1] += size


def _moves(room: _Room, tick: int) -> Iterator[_Move]:
    """Ways to take out of slices what keeps a storage alive at a tick.

    The least, all parts of what is assembled, those of them that are there early, so that the
    storage begins with a later one, the least with all that lies in parts, so that it begins when a
    part is complete, and the largest tensor with all that lies in it.
    """
    inside = _by_views(room.held)
    minimal = _take_out(room, lambda slice, chain: slice.is_kept_alive(chain, tick))
    if not minimal.entries:
        return
    yield minimal
    assembled = {op for op, _ in minimal.entries}

    def first_tick(slice: _Slice) -> int:
        return _hull(inside.get(slice.views, []))[0]

    parts = [slice for slice in room.slices if slice.entry[0] in assembled]
    starts = sorted({start for slice in parts if (start := first_tick(slice)) > tick})
    for latest in (*starts[:-1][:_MOST_STARTS], math.inf):
        yield _take_out(
            room,
            lambda slice, chain, latest=latest: (
                slice.is_kept_alive(chain, tick)
                or (slice.entry[0] in assembled and first_tick(slice) <= latest)
            ),
        )
    nested = {slice.entry for slice in room.slices if _is_within(slice, parts)}
    if nested:
        yield _take_out(
            room,
            lambda slice, chain: slice.is_kept_alive(chain, tick) or slice.entry in nested,
        )
    largest = _take_out_largest(room, tick)
    if largest is not None:
        yield largest


def _take_out(room: _Room, is_out: Callable[[_Slice, list[_Held]], bool]) -> _Move:
    """Take some tensors out of their slices; ``is_out`` sees what still lies in each."""
    inside = _by_views(room.held)
    gone: set[int] = set()
    entries: list[_Entry] = []
    kept: list[_Slice] = []
    alone: list[_Room] = []
    for slice in sorted(room.slices, key=lambda s: -len(s.views)):
        chain = [h for h in inside.get(slice.views, ()) if id(h) not in gone]
        if not is_out(slice, chain):
            kept.append(slice)
            continue
        entries.append(slice.entry)
        gone.update(map(id, chain))
        start, end = _hull(chain)
        alone.append(_Room(slice.size, [_Held(start, max(end, slice.position), ())]))
    rest = [h for h in room.held if id(h) not in gone]
    return _Move(entries, room, _Room(room.size, rest, kept), alone)


def _take_out_largest(room: _Room, tick: int) -> _Move | None:
    """Take out one tensor with all that lies in it, the largest that is in a slice at `tick`.

    Such as one that has all its parts long before a border is put around it.
    """
    inside = _by_views(room.held)
    for slice in sorted(room.slices, key=lambda s: -s.size):
        chain = inside.get(slice.views, ())
        if slice.is_kept_alive(chain, tick):
            break
    else:
        return None
    depth = len(slice.views)
    gone = set(map(id, chain))
    held = [_Held(h.start, h.end, h.views[depth:]) for h in chain]
    held.append(_Held(slice.position, slice.position, ()))
    within = [s for s in room.slices if s is not slice and s.views[:depth] == slice.views]
    kept = [s for s in room.slices if s is not slice and s.views[:depth] != slice.views]
    rest = [h for h in room.held if id(h) not in gone]
    alone = _Room(slice.size, held, [replace(s, views=s.views[depth:]) for s in within])
    return _Move([slice.entry], room, _Room(room.size, rest, kept), [alone])


def _is_within(slice: _Slice, parts: Iterable[_Slice]) -> bool:
    """Tell whether what is in the slice becomes a piece of one of the parts."""
    inside = slice.views
    return any(len(inside) > (depth := len(p.views)) and inside[:depth] == p.views for p in parts)


def _by_views(held: list[_Held]) -> dict[tuple[View, ...], list[_Held]]:
    """What a storage holds, under every view that it lies in."""
    inside: dict[tuple[View, ...], list[_Held]] = {}
    for h in held:
        for count in range(len(h.views) + 1):
            inside.setdefault(h.views[:count], []).append(h)
    return inside


def _size_at(room: _Room, tick: int) -> int:
    if not room.held:
        return 0
    start, end = room.span
    return room.size if start <= tick <= end else 0


def _hull(held: list[_Held]) -> tuple[int, int]:
    return min((h.start for h in held), default=0), max((h.end for h in held), default=-1)


def _rooms(placement: Placement, positions: int) -> list[_Room]:
    rooms: dict[Storage, _Room] = {}
    liveness = placement.liveness
    content, first = liveness.content, liveness.first
    for value, place in placement.places.items():
        storage = place.storage.resolve()
        if storage.external is not None:
            continue
        owner = value.owner
        # What is off chip takes no room on it.
        if storage.arena is not None and not isinstance(owner, RetrieveOp):
            continue
        room = rooms.get(storage)
        if room is None:
            room = rooms[storage] = _Room(storage.size, largest=value)
        if not place.views:
            room.largest = value
        start = _first_position(first, value)
        end = max(start, min(content(value).end, positions))
        room.held.append(_Held(start, end, place.views))
    for operand, (root, place) in placement.slices_taken.items():
        room = rooms.get(place.storage.resolve())
        if room is not None:
            position = liveness.position[operand[0]]
            views = placement.places[root].views
            size = size_bytes(root.type) or 0
            room.slices.append(_Slice(operand, position, views, size))
    return list(rooms.values())


def _first_position(first: Mapping[Operation, int], value: SSAValue) -> int:
    if isinstance(value, OpResult):
        return first[value.op]
    owner = value.owner
    opening = owner.first_op if isinstance(owner, Block) else owner
    return 0 if opening is None else first[opening]
