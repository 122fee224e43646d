"""What is surely read of an operand: equal questions are answered once, all others anew."""

import random
from itertools import product
from math import prod

import pytest

from xdsl_memplan.model.least_traffic import elements_in_all, surely_needed
from xdsl_memplan.model.origins import origins
from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Box,
    Index,
    Iterator,
    Reshape,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
)

ONE_DIMENSION = Reshape((((0, 1), (0,)),))


def shifted(constant: int) -> Affine:
    return Affine((Index(((0, 1),), constant),))


def read_by(
    access: Access, shape: tuple[int, ...], extents: tuple[int, ...], tile: tuple[int, ...]
) -> SplitGraph:
    """An operation of an argument, of whose result the first elements are read."""
    dims = range(len(extents))
    parallel = ("parallel",) * len(extents)
    same = Affine(tuple(Index(((d, 1),)) for d in dims))
    read, copy = SplitOperand(0, shape, access), SplitOperand(1, extents, same)
    return SplitGraph(
        (
            SplitTensor("x", shape, 4, "argument"),
            SplitTensor("y", extents, 4, "value"),
            SplitTensor("z", tile, 4, "value", returned=True),
        ),
        (
            SplitOp("read", (1,), (read,), True, extents, parallel, tuple(dims)),
            SplitOp("first", (2,), (copy,), True, tile, parallel, tuple(dims)),
        ),
    )


@pytest.mark.parametrize(
    ("access", "shape", "extents", "tile", "needed"),
    [
        (shifted(1), (4,), (6,), (4,), ((1, 4),)),
        (shifted(1), (8,), (6,), (4,), ((1, 5),)),
        (shifted(2), (8,), (6,), (4,), ((2, 6),)),
        (shifted(2), (8,), (6,), (3,), ((2, 5),)),
        (ONE_DIMENSION, (4,), (2, 2), (2, 2), ((0, 4),)),
        (ONE_DIMENSION, (12,), (2, 6), (2, 2), ((0, 2),)),
    ],
)
def test_boxes_differ_with_access_shape_loops_and_tile(
    access: Access,
    shape: tuple[int, ...],
    extents: tuple[int, ...],
    tile: tuple[int, ...],
    needed: Box,
):
    assert surely_needed(read_by(access, shape, extents, tile))[0] == [needed]


@pytest.mark.parametrize(
    ("access", "shape", "extents", "origin"),
    [
        (shifted(-1), (4,), (8,), ((1, 5),)),
        (shifted(-1), (6,), (8,), ((1, 7),)),
        (shifted(-1), (6,), (5,), ((1, 5),)),
        (shifted(-2), (6,), (5,), ((2, 5),)),
        (ONE_DIMENSION, (12,), (2, 6), ((0, 2), (0, 6))),
        (ONE_DIMENSION, (12,), (3, 4), ((0, 3), (0, 4))),
    ],
)
def test_origins_differ_with_access_shape_and_loops(
    access: Access, shape: tuple[int, ...], extents: tuple[int, ...], origin: Box
):
    known = origins(read_by(access, shape, extents, extents))
    assert (known[1].tensors, known[1].box) == ((0,), origin)


Progression = tuple[int, int, int]
"""Offset, step and count of a slice along one dimension."""


def inserted(shape: tuple[int, ...], of: list[Progression], tile: tuple[int, ...]) -> SplitGraph:
    """A slice inserted into an argument, and the first elements of that."""
    dims = tuple(range(len(shape)))
    kinds: tuple[Iterator, ...] = tuple("parallel" for _ in shape)
    same = Affine(tuple(Index(((d, 1),)) for d in dims))
    part = Affine(tuple(Index(((d, 1),), -start, step) for d, (start, step, _) in enumerate(of)))
    sizes = tuple(count for *_, count in of)
    return SplitGraph(
        (
            SplitTensor("x", shape, 4, "argument"),
            SplitTensor("part", sizes, 4, "argument"),
            SplitTensor("y", shape, 4, "value"),
            SplitTensor("z", tile, 4, "value", returned=True),
        ),
        (
            SplitOp(
                "insert",
                (2,),
                (SplitOperand(1, sizes, part), SplitOperand(0, shape, same)),
                True,
                shape,
                kinds,
                dims,
                parts=(0,),
            ),
            SplitOp("first", (3,), (SplitOperand(2, shape, same),), True, tile, kinds, dims),
        ),
    )


@pytest.mark.parametrize("seed", range(60))
def test_of_what_a_slice_is_inserted_into_the_rest_is_needed(seed: int):
    """All of it where no more than steps leave gaps; never what is written over."""
    chance = random.Random(seed)
    shape = tuple(chance.randint(1, 6) for _ in range(chance.randint(1, 3)))
    of: list[Progression] = []
    for extent in shape:
        start = chance.randrange(extent)
        step = chance.choice([1, 1, 2])
        of.append((start, step, chance.randint(1, (extent - 1 - start) // step + 1)))
    tile = tuple(chance.randint(1, extent) for extent in shape)
    boxes = surely_needed(inserted(shape, of, tile)).get(0, [])
    written = set(product(*(range(a, a + step * n, step) for a, step, n in of)))
    read = set(product(*map(range, tile))) - written
    known = {point for box in boxes for point in product(*(range(*pair) for pair in box))}
    assert known <= read
    assert len(known) == elements_in_all(boxes)
    if len(shape) < 3 and all(step == 1 for _, step, _ in of):
        assert known == read


@pytest.mark.parametrize(
    ("shape", "tile"),
    [((3, 16), 37), ((3, 16), 16), ((3, 16), 5), ((2, 3, 4), 17), ((2, 0), 0)],
)
def test_a_range_of_merged_dimensions_is_read_in_rows(shape: tuple[int, ...], tile: int) -> None:
    merged = Reshape((((0,), tuple(range(len(shape)))),))
    needed = surely_needed(read_by(merged, shape, (prod(shape),), (tile,)))
    assert elements_in_all(needed.get(0, [])) == tile
