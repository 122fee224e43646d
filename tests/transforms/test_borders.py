"""What is around a slice: every other element, once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xdsl_memplan.transforms.bufferize.emit_slices import borders
from xdsl_memplan.transforms.bufferize.place import Slice


@st.composite
def slices(draw) -> tuple[Slice, tuple[int, ...]]:
    rank = draw(st.integers(0, 3))
    small = st.integers(0, 3)
    offsets = tuple(draw(small) for _ in range(rank))
    sizes = tuple(draw(small) for _ in range(rank))
    strides = tuple(draw(small) + 1 for _ in range(rank))
    shape = tuple(
        offset + max(0, size - 1) * stride + bool(size) + draw(small)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    )
    return Slice(offsets, sizes, strides, tuple(range(rank))), shape


def add(array: np.ndarray, part: Slice) -> None:
    where = tuple(
        offset + stride * np.arange(size)
        for offset, size, stride in zip(part.offsets, part.sizes, part.strides, strict=True)
    )
    array[np.ix_(*where)] += 1


@given(slices())
def test_borders_and_slice_are_all_once(case: tuple[Slice, tuple[int, ...]]):
    interior, shape = case
    found = np.zeros(shape, dtype=int)
    for part in borders(interior, shape):
        add(found, part)
    add(found, interior)
    assert (found == 1).all()
