"""What is surely read of an operand: equal questions are answered once, all others anew."""

import pytest

from xdsl_memplan.model.least_traffic import surely_needed
from xdsl_memplan.model.origins import origins
from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Box,
    Index,
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
