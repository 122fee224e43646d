"""Runs cover every tile once, in order, and what a loop computes of its counters is right."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from xdsl_memplan.transforms.expand_groups.tile_runs import (
    Run,
    runs_of_shifted_tiles,
    runs_of_tiles,
)

Counts = tuple[tuple[int, int], ...]
"""Of the loops around a tile: which iteration, and how many tiles ahead one goes."""


def tiles_of(run: Run, shift: int = 0, around: Counts = ()) -> Iterator[tuple[int, int, Counts]]:
    """All tiles of a run: the tile, the first that its code stands for, and the loops around."""
    for iteration in range(run.count):
        here = (*around, (iteration, run.step))
        if not run.inner:
            yield run.first + shift + iteration, run.first, here
        for inner in run.inner:
            yield from tiles_of(inner, shift + iteration * run.step, here)


patterns = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2), st.integers(0, 3)), max_size=4)


@given(st.lists(st.tuples(patterns, st.integers(1, 5), st.integers(0, 9)), max_size=4))
def test_loops_compute_lengths_and_starts(parts: list):
    lengths: list[tuple[int, ...]] = []
    starts: list[tuple[int, ...]] = []
    at = 0
    for pattern, times, jump in parts:
        for _ in range(times):
            for count, length, step in pattern:
                for _ in range(count):
                    lengths.append((length,))
                    starts.append((at, -at))
                    at += step
            at += jump
    runs = runs_of_tiles(lengths, starts)
    found = [tile for run in runs for tile in tiles_of(run)]
    assert [tile for tile, _, _ in found] == list(range(len(lengths)))
    for tile, first, around in found:
        assert lengths[tile] == lengths[first]
        for dimension in range(2):
            base = starts[first][dimension]
            value = base
            for iteration, step in around:
                if iteration:  # As the code does: the difference to one iteration further.
                    value += iteration * (starts[first + step][dimension] - base)
            assert value == starts[tile][dimension]


def test_heads_of_sequences_become_two_loops():
    starts = [(head // 8, head) for head in range(256)]
    lengths = [(head % 8 == 0, head % 8 == 7) for head in range(256)]
    [run] = runs_of_tiles(lengths, starts)
    assert (run.count, run.step) == (32, 8)
    assert [(inner.first, inner.count) for inner in run.inner] == [(0, 1), (1, 6), (7, 1)]


def test_shifted_tiles_whose_lengths_alternate_are_periods():
    """Windows of three rows, every other of which is zeros: two and one that are read, by turns."""
    lengths = [(1 + tile % 2,) for tile in range(12)]
    starts = [(tile, tile // 2) for tile in range(12)]
    [run] = runs_of_shifted_tiles(lengths, starts)
    assert (run.first, run.count, run.step) == (0, 6, 2)


def test_shifted_tiles_stay_at_the_ends_of_one_run():
    starts = [(tile, min(max(4 * tile - 1, 0), 17)) for tile in range(6)]
    assert runs_of_shifted_tiles([(5,)] * 6, starts) == [Run(0, 6)]


def test_what_repeats_after_one_run_is_not_taken_after_many():
    """Halves of rows whose operand stays at the ends of its column, as shifted tiles do.

    After twelve rows the same comes again once, which would be twelve bodies.
    """
    tiles = [divmod(tile, 2) for tile in range(56)]
    starts = [(row, 14 * half, min(max(row - 2, 0), 23)) for row, half in tiles]
    runs = runs_of_shifted_tiles([(14,)] * 56, starts)
    assert sum(max(1, len(run.inner)) for run in runs) == 3
