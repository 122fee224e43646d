"""Which tiles one loop body may compute."""

from typing import Literal

import pytest

from xdsl_memplan.model.split_graph import (
    Affine,
    Index,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
    operand_box,
)
from xdsl_memplan.model.tiling_plan import LoopCut
from xdsl_memplan.scheduling.splitting import SplitMachine, lay_out
from xdsl_memplan.transforms.expand_groups.look_alikes import box_in, is_empty, runs_of_cut
from xdsl_memplan.transforms.expand_groups.tile_runs import Run


def widened() -> SplitGraph:
    """A transposed convolution: every second element of every second row is one of an image.

    The others are zero. A window of four columns goes over them.
    """
    every_second = Affine((Index(((0, 1),), -1, 2), Index(((1, 1),), -1, 2)))
    window = Affine((Index(((0, 1),)), Index(((1, 1), (2, 1)))))
    return SplitGraph(
        (
            SplitTensor("image", (6, 12), 4, "argument"),
            SplitTensor("wide", (13, 25), 4, "value"),
            SplitTensor("sums", (13, 22), 4, "value", returned=True),
        ),
        (
            SplitOp(
                "tensor.insert_slice",
                (1,),
                (SplitOperand(0, (6, 12), every_second),),
                splittable=True,
                loops=(13, 25),
                iterators=("parallel", "parallel"),
                result_access=(0, 1),
                layer=0,
            ),
            SplitOp(
                "linalg.generic",
                (2,),
                (SplitOperand(1, (13, 25), window),),
                splittable=True,
                loops=(13, 22, 4),
                iterators=("parallel", "parallel", "reduction"),
                result_access=(0, 1),
                layer=0,
            ),
        ),
    )


def tiles_in(run: Run) -> list[list[int]]:
    """For each body of a run, the tiles that it computes."""
    if not run.inner:
        return [list(range(run.first, run.first + run.count))]
    bodies = [body for inner in run.inner for body in tiles_in(inner)]
    return [
        [tile + period * run.step for period in range(run.count) for tile in body]
        for body in bodies
    ]


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
@pytest.mark.parametrize("order", ["rows first", "columns first"])
def test_where_elements_lie_in_a_tile(
    rows: int, columns: int, order: Literal["rows first", "columns first"]
):
    """Whatever the middle tile of the rows reads (nothing, if it is a row of zeros), tiles of one
    body have their elements at the same places, in each row."""
    graph = widened()
    cuts = [LoopCut("result", 2, d, size, 0, "recompute") for d, size in ((0, rows), (1, columns))]
    if order == "columns first":
        cuts.reverse()
    layout = lay_out(graph, SplitMachine(1 << 20, 4), 1, cuts, [])
    for cut in range(2):
        runs = runs_of_cut(graph, layout, cut, [2])
        bodies = [body for run in runs for body in tiles_in(run)]
        assert sorted(tile for body in bodies for tile in body) == list(range(layout.tiles(cut)))
        for other in range(layout.tiles(1 - cut)):
            for body in bodies:
                places: set[object] = set()
                for tile in body:
                    position = (tile, other) if cut == 0 else (other, tile)
                    assert not is_empty(box_in(layout, layout.loops[1], position))
                    loops = box_in(layout, layout.loops[0], position)
                    box = operand_box(graph.ops[0], 0, loops)
                    sizes = tuple(stop - start for start, stop in loops)
                    inside = box and tuple(
                        (2 * start + 1 - first, stop - start)
                        for (start, stop), (first, _) in zip(box, loops, strict=True)
                    )
                    places.add((sizes, inside))
                assert len(places) == 1
