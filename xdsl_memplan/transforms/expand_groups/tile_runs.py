"""Runs of tiles that look alike, and of periods of tiles that do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl_memplan.transforms.expand_groups.clamped_lines import ClampedLine

_LONGEST_PERIOD = 12
"""Runs in a period."""


@dataclass(frozen=True)
class Run:
    """Tiles, or periods of tiles, one behind the other, that one loop body can compute."""

    first: int
    """The first tile."""
    count: int
    step: int = 1
    """Tiles per period."""
    inner: tuple["Run", ...] = ()
    """The runs of the first period; none if it is one tile."""

    def shifted(self, tiles: int) -> "Run":
        """The same run further on."""
        inner = tuple(run.shifted(tiles) for run in self.inner)
        return replace(self, first=self.first + tiles, inner=inner)


def runs_of_shifted_tiles(
    lengths: Sequence[tuple[object, ...]], starts: Sequence[tuple[int, ...]]
) -> list[Run]:
    """Cut tiles into runs: equal lengths, and starts that advance evenly between the ends of a run.

    The same as `runs_of_tiles` where they do not, or where that takes fewer bodies: lengths may
    alternate, as those of tiles of what is stuffed with zeros.
    """
    plain = runs_of_tiles(lengths, starts)
    runs: list[Run] = []
    for first, last in _stretches(lengths):
        columns = zip(*starts[first:last], strict=True)
        if not all(ClampedLine.of(column) for column in columns):
            return plain
        runs.append(Run(first, last - first))
    return runs if len(runs) <= _bodies(plain) else plain


def _bodies(runs: Sequence[Run]) -> int:
    return sum(max(1, len(run.inner)) for run in runs)


def _stretches(lengths: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Tiles one behind another of equal lengths: half-open."""
    first = 0
    for tile in range(1, len(lengths) + 1):
        if tile == len(lengths) or lengths[tile] != lengths[first]:
            yield first, tile
            first = tile


def runs_of_tiles(
    lengths: Sequence[tuple[object, ...]], starts: Sequence[tuple[int, ...]]
) -> list[Run]:
    """Cut tiles into runs: equal lengths, and starts that advance evenly.

    Where the same runs come again and again, such as the heads of each sequence in a batch,
    they become a run of periods. Linear in the numbers given.
    """
    tiles = _evenly(lengths, starts)
    found: list[Run] = []
    index = 0
    while index < len(tiles):
        best = tiles[index]
        taken = 1
        repeated: list[int] = []
        for period in range(1, min(_LONGEST_PERIOD, (len(tiles) - index) // 2) + 1):
            # Of what repeats after fewer runs more bodies would be made, one for each of them.
            if any(period % shorter == 0 for shorter in repeated):
                continue
            count = _periods(tiles, index, period, lengths, starts)
            if count >= 2:
                repeated.append(period)
            if count >= 2 and count * period > taken:
                runs = tuple(tiles[index : index + period])
                step = sum(run.count for run in runs)
                best, taken = Run(runs[0].first, count, step, runs), count * period
        found.append(best)
        index += taken
    return found


def _evenly(lengths: Sequence[object], starts: Sequence[tuple[int, ...]]) -> list[Run]:
    found: list[Run] = []
    first = 0
    steps: tuple[int, ...] | None = None
    for tile in range(1, len(lengths) + 1):
        if tile < len(lengths) and lengths[tile] == lengths[first]:
            step = _difference(starts[tile], starts[tile - 1])
            if steps is None or step == steps:
                steps = step
                continue
        found.append(Run(first, tile - first))
        first, steps = tile, None
    return found


def _periods(
    runs: Sequence[Run],
    index: int,
    period: int,
    lengths: Sequence[object],
    starts: Sequence[tuple[int, ...]],
) -> int:
    """Count how often `period` runs from `index` on come again, each time as far ahead."""
    first = runs[index : index + period]
    moves: list[tuple[int, ...]] = []
    count = 1
    while index + (count + 1) * period <= len(runs):
        before = runs[index + (count - 1) * period : index + count * period]
        after = runs[index + count * period : index + (count + 1) * period]
        ahead: list[tuple[int, ...]] = []
        for start, old, new in zip(first, before, after, strict=True):
            if new.count != start.count or lengths[new.first] != lengths[start.first]:
                return count
            ahead.append(_difference(starts[new.first], starts[old.first]))
            last = _difference(starts[new.first + new.count - 1], starts[old.first + old.count - 1])
            if last != ahead[-1]:
                return count
        if moves and moves != ahead:
            return count
        moves = ahead
        count += 1
    return count


def _difference(later: tuple[int, ...], earlier: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(b - a for a, b in zip(earlier, later, strict=True))
