"""Stencils that are written as slices of one tensor have halos as windows have."""

import pytest

from tests.transforms.networks import Network, Value
from tests.transforms.test_joined_slices import moved
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def stencil(shape: list[int], steps: int) -> str:
    """Each step adds up the six neighbours of what is inside of the step before."""
    n = Network()
    x = n.argument(*(size + 2 * steps for size in shape))
    for _ in range(steps):
        inner = [size - 2 for size in x[1]]
        middle = [1, 1, 1]
        parts: list[Value] = []
        for dim in range(3):
            for by in (0, 2):
                offsets = [by if d == dim else o for d, o in enumerate(middle)]
                parts.append(n.slice_of(x, offsets, inner))
        x = parts[0]
        for part in parts[1:]:
            x = n.each("addf", x, part)
    return n.text(x)


# 2.3 MB are read and written once. Planes of which rows and columns are cut move 7.3 and 3.9 MB.
@pytest.mark.parametrize(("capacity", "most"), [(1 << 13, 3.6e6), (1 << 14, 3.0e6)])
def test_beams_through_a_volume(capacity: int, most: float):
    assert moved(stencil([64, 64, 64], 2), capacity) < most


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [2048, 4096, 16384])
def test_stencils_compute_the_same(capacity: int, emit: Emit):
    text, memory = stencil([8, 10, 12], 2), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(in_layers(text)), group, emit, memory) <= capacity
