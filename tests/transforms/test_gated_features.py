"""Convolutions whose halves gate each other, or with computed weights: cut as others are."""

import pytest

from tests.transforms.networks import Network
from tests.transforms.test_joined_slices import moved
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def gated(features: int = 32, size: int = 16, *, masked: bool = False) -> str:
    """Two halves of the features multiplied with each other; with masked weights or not."""
    n = Network()
    x = n.argument(1, features, size, size)
    weights = n.argument(2 * features, features, 3, 3)
    if masked:
        weights = n.each("mulf", weights, n.argument(2 * features, features, 3, 3))
    y = n.conv_by(x, weights)
    first, second = (
        n.slice_of(y, [0, at, 0, 0], [1, features, size, size]) for at in (0, features)
    )
    return n.text(n.each("mulf", first, second))


# By features and rows, but no columns, four times as much moves, and masked weights have no room.
@pytest.mark.parametrize(("masked", "most"), [(False, 2_500_000), (True, 9_700_000)])
def test_gated_features_are_cut_into_patches(masked: bool, most: int):
    assert moved(gated(masked=masked), 4096) < most


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("masked", [False, True])
def test_gated_features_compute_the_same(masked: bool, emit: Emit):
    text, memory = gated(4, 9, masked=masked), "L1=1024,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(in_layers(text)), group, emit, memory) <= 1024
