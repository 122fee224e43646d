"""A tensor that one operator reads as it is, and another through a slice from outside."""

import pytest

from tests.transforms.networks import Network
from tests.transforms.test_joined_slices import grouped
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers
from xdsl_memplan.transforms.expand_groups.laid_out_group import laid_out
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def factorized(channels: int, size: int, features: int) -> str:
    """Convolutions of all and of all but a row and a column, as AmoebaNet halves its cells."""
    n = Network()
    x = n.relu(n.argument(1, channels, size, size))
    even = n.conv(x, features, 1, 2)
    shifted = n.slice_of(x, [0, 0, 1, 1], [1, channels, size - 1, size - 1])
    odd = n.conv(shifted, features, 1, 2)
    return n.text(n.relu(n.concat(even, odd)))


@pytest.mark.parametrize("capacity", [1 << k for k in range(12, 18)])
def test_tiles_take_what_the_search_counted(capacity: int):
    for group in grouped(factorized(256, 16, 64), capacity):
        assert laid_out(group).layout.cost.peak <= group.cost.cost.peak + 64


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [2048, 4096, 8192])
def test_it_computes_the_same(capacity: int, emit: Emit):
    text, memory = factorized(16, 8, 8), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(in_layers(text)), group, emit, memory) <= capacity
