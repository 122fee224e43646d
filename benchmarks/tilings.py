"""Rectangles cut into tiles: problems whose least peak is known, however many buffers they have.

Time is the width of a rectangle, bytes are its height; every tile is a buffer. All of the
rectangle is used, so its height is the load, and the cut itself is a plan that reaches it.
"""

import random
from collections.abc import Sequence

import numpy as np

from xdsl_memplan.model.problem import Pool, Problem

WIDTH_TICKS = 1_000
HEIGHT_BYTES = 1 << 20
PINWHEEL_TILES = 5

Tile = tuple[int, int, int, int]
"""Left, right in ticks; bottom, top in bytes."""


def tiling(
    buffers: int,
    seed: int,
    *,
    pinwheels: bool = False,
    even: bool = False,
    left_out: float = 0.0,
    ticks: int = WIDTH_TICKS,
) -> list[Tile]:
    """Cut a rectangle at random.

    A guillotine cut goes from edge to edge; with ``pinwheels`` every other cut makes five tiles of
    which none reaches from edge to edge. Any tile is cut next, anywhere; with ``even`` tiles the
    largest of three, near its middle, which makes problems harder. ``left_out`` is the share of
    tiles that is dropped. With fewer ``ticks`` more tiles start and end together, and fit each
    other by chance.
    """
    rng = random.Random(f"{buffers} {seed} {pinwheels} {even}")
    wanted = round(buffers / (1 - left_out))
    tiles: list[Tile] = [(0, ticks, 0, HEIGHT_BYTES)]
    while len(tiles) < wanted:
        drawn = rng.sample(range(len(tiles)), min(3 if even else 1, len(tiles)))
        chosen = max(drawn, key=lambda k: _area(tiles[k]))
        room = wanted - len(tiles) >= PINWHEEL_TILES - 1
        parts = (
            _pinwheel(tiles[chosen], rng, even)
            if pinwheels and room and rng.random() < 0.5
            else _guillotine(tiles[chosen], rng, even)
        )
        if parts:
            tiles[chosen : chosen + 1] = parts
    rng.shuffle(tiles)
    return tiles[:buffers]


def problem(tiles: Sequence[Tile], capacity: int | None = None) -> Problem:
    """The tiles as buffers; ``capacity`` in bytes."""
    left, right, bottom, top = np.array(tiles, dtype=np.int64).T
    return Problem(sizes=top - bottom, starts=left, ends=right, pools=(Pool(capacity=capacity),))


def _area(tile: Tile) -> int:
    left, right, bottom, top = tile
    return (right - left) * (top - bottom)


def _between(low: int, high: int, rng: random.Random, even: bool) -> int:
    """A number between two; with ``even`` in the middle three fifths, where there is room."""
    span = high - low
    at = (
        low + span // 5 + rng.randrange(max(1, span * 3 // 5)) if even else rng.randrange(low, high)
    )
    return min(max(low + 1, at), high - 1)


def _guillotine(tile: Tile, rng: random.Random, even: bool) -> list[Tile]:
    left, right, bottom, top = tile
    if rng.random() < 0.5:
        if right - left < 2:
            return []
        at = _between(left, right, rng, even)
        return [(left, at, bottom, top), (at, right, bottom, top)]
    if top - bottom < 2:
        return []
    at = _between(bottom, top, rng, even)
    return [(left, right, bottom, at), (left, right, at, top)]


def _pinwheel(tile: Tile, rng: random.Random, even: bool) -> list[Tile]:
    left, right, bottom, top = tile
    if right - left < 5 or top - bottom < 5:
        return []
    a = _between(left, right - 1, rng, even)
    b = _between(a, right, rng, even)
    c = _between(bottom, top - 1, rng, even)
    d = _between(c, top, rng, even)
    if not (left < a < b < right and bottom < c < d < top):
        return []
    wheel = [
        (left, b, bottom, c),
        (b, right, bottom, d),
        (a, right, d, top),
        (left, a, c, top),
        (a, b, c, d),
    ]
    if rng.random() < 0.5:
        return wheel
    return [
        (left + right - end, left + right - start, low, high) for start, end, low, high in wheel
    ]
