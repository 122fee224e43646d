"""Rectangles cut into tiles, as `benchmarks/tilings.py` cuts them, and another way."""

import random
import runpy
from pathlib import Path

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan

TILINGS = Path(__file__).parents[2] / "benchmarks" / "tilings.py"


def test_a_tiling_of_which_a_part_fails_is_planned_as_a_whole() -> None:
    """Its parts alone, planned one by one, ended at 1.11 of the load; all together end at 1.016."""
    tilings = runpy.run_path(str(TILINGS))
    problem: Problem = tilings["problem"](tilings["tiling"](1_000, 4, pinwheels=True))
    found = plan(problem, threads=1)
    assert found.peak < 1.03 * found.load


def _cut_evenly(tiles: int, ticks: int, height: int, seed: int) -> Problem:
    """Cut the largest of three tiles anywhere, mostly into pinwheels of five."""
    rng = random.Random(seed)
    cut = [(0, ticks, 0, height)]
    while len(cut) < tiles:
        drawn = rng.sample(range(len(cut)), min(3, len(cut)))
        at = max(drawn, key=lambda k: (cut[k][1] - cut[k][0]) * (cut[k][3] - cut[k][2]))
        left, right, low, high = cut[at]
        if right - left > 2 and high - low > 2 and rng.random() < 0.8:
            a, b = sorted(rng.sample(range(left + 1, right), 2))
            c, d = sorted(rng.sample(range(low + 1, high), 2))
            cut[at : at + 1] = [
                (left, b, low, c),
                (b, right, low, d),
                (a, right, d, high),
                (left, a, c, high),
                (a, b, c, d),
            ]
        elif high - low > 1 and rng.random() < 0.5:
            c = rng.randrange(low + 1, high)
            cut[at : at + 1] = [(left, right, low, c), (left, right, c, high)]
        elif right - left > 1:
            a = rng.randrange(left + 1, right)
            cut[at : at + 1] = [(left, a, low, high), (a, right, low, high)]
    rng.shuffle(cut)
    starts, ends, bottoms, tops = zip(*cut, strict=True)
    sizes = [top - bottom for bottom, top in zip(bottoms, tops, strict=True)]
    return Problem(sizes=sizes, starts=starts, ends=ends)


def test_tiles_of_like_sizes_with_few_moments_go_in_tiers() -> None:
    """What gluing leaves of them ended at 1.034 of the load without tiers."""
    found = plan(_cut_evenly(4_000, 300, 1 << 20, 6), threads=1)
    assert found.load == 1 << 20
    assert found.peak < 1.02 * found.load


def test_many_tiles_with_few_moments_are_glued_by_looking_ahead() -> None:
    """Pairs of the same lifetime were stacked by chance: all ended 9 % above the load."""
    for tiles, seed in ((10_000, 8), (20_000, 2)):
        found = plan(_cut_evenly(tiles, 1_000, 1 << 20, seed), threads=1)
        assert found.peak == found.load == 1 << 20


def test_a_thousand_tiles_with_few_moments_end_at_the_load() -> None:
    """Without looking ahead of more than one pair they ended at 1.023 of it."""
    found = plan(_cut_evenly(1_000, 100, 1 << 20, 8), threads=1)
    assert found.peak == found.load == 1 << 20


def test_what_little_chance_glues_comes_apart_where_doubtful() -> None:
    """Gluing left 302 pieces, whose plan ended at 1.21 of the load; some of them were wrong."""
    tilings = runpy.run_path(str(TILINGS))
    problem: Problem = tilings["problem"](tilings["tiling"](10_000, 404, ticks=160_000))
    found = plan(problem, threads=1)
    assert found.peak < 1.05 * found.load
