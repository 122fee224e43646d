"""Sizes of tiles between those that the search tries are found."""

import pytest

from tests.transforms.test_batches import PLAIN, structured
from tests.transforms.test_split_programs import arrays_for, bytes_moved, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def convolution(size: int, features: int) -> str:
    outside = size + 2
    ins = {"x": f"1x{outside}x{outside}x{features}", "w": f"3x3x{features}x{features}"}
    return structured("linalg.conv_2d_nhwc_hwcf", ins, f"1x{size}x{size}x{features}", PLAIN)


def test_a_large_convolution_in_little_room():
    """The sizes that the search tries move 11,567,104 bytes."""
    assert bytes_moved(convolution(56, 64), "L1=32KiB,DDR") <= 9_300_000


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [1500, 2100, 3300])
def test_they_compute_the_same(capacity: int, emit):
    text, memory = convolution(10, 6), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity
