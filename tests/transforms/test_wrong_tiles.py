"""Tiles with a mistake are never proved; mistakes made by hand."""

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from tests.transforms.test_region_moves import parse
from tests.transforms.test_verify_split import function_of
from tests.transforms.wrong_tiles import PROGRAMS
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split

MISTAKES = [(name, mistake) for name, tiles in PROGRAMS.items() for mistake in tiles.mistakes]


def verdict(whole: str, tiled: str) -> Verdict:
    return check_split(function_of(parse(whole)), function_of(parse(tiled))).verdict


def computed(text: str) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    module = parse(text)
    shapes = [value.type.get_shape() for value in function_of(module).body.block.args]
    return run(module, [rng.normal(-3, 1, shape).astype(np.float32) for shape in shapes])


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiles_without_a_mistake_are_proved(name: str):
    tiles = PROGRAMS[name]
    assert verdict(tiles.whole, tiles.tiled) is Verdict.PROVED
    pairs = zip(computed(tiles.whole), computed(tiles.tiled), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_tiles_with_a_mistake_are_not_proved(name: str, mistake: str):
    tiles = PROGRAMS[name]
    wrong = tiles.spoiled(mistake)
    assert verdict(tiles.whole, wrong) is not Verdict.PROVED
    try:
        found = computed(wrong)
    except (InterpretationError, ValueError, IndexError):
        return
    pairs = zip(computed(tiles.whole), found, strict=True)
    assert not all(np.array_equal(one, other) for one, other in pairs)
