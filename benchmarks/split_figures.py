"""The pictures of docs/splitting.md, from what the passes and the layout of tiles say.

    python benchmarks/split_figures.py [FOLDER]     (default: docs/figures; needs matplotlib)

`split_tiles.png`: two convolutions in four tiles of rows, with kept overlaps and computed again.
`split_border.png`: the tensor between them in tiles that keep the halo along rows and columns.
`split_sum.png`: two products, the second added up tile by tile.
`split_arena.png`: the arena of MobileNet-v2 before and after.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MultipleLocator
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.function_problems import the_problem
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.model.tiling_plan import GroupLayout, Halo, LoopCut, Span, Track
from xdsl_memplan.native.context import full_context
from xdsl_memplan.scheduling.splitting import SplitMachine, lay_out
from xdsl_memplan.transforms.memplan_annotate_lifetimes import MemplanAnnotateLifetimesPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

ROOT = Path(__file__).parent.parent
NEW, KEPT, AGAIN, PAST, COMING = "#2b6ca3", "#e69f00", "#c44e52", "#b9c4cc", "#f1f1ee"
FOUND, BORDER = "#7b4fa3", "#cbb5de"

CONVOLUTIONS = """
func.func @two(%x: tensor<1x3x16x16xf32>, %v: tensor<8x3x3x3xf32>, %w: tensor<8x8x3x3xf32>)
    -> tensor<1x8x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x16x16xf32> to tensor<1x3x18x18xf32>
  %h = linalg.conv_2d_nchw_fchw
    {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%p, %v : tensor<1x3x18x18xf32>, tensor<8x3x3x3xf32>)
    outs(%f : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %q = tensor.pad %h low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x16x16xf32> to tensor<1x8x18x18xf32>
  %y = linalg.conv_2d_nchw_fchw
    {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%q, %w : tensor<1x8x18x18xf32>, tensor<8x8x3x3xf32>)
    outs(%f : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  func.return %y : tensor<1x8x16x16xf32>
}
"""

PRODUCTS = """
func.func @feed_forward(%x: tensor<48x64xf32>, %v: tensor<64x256xf32>, %w: tensor<256x64xf32>)
    -> tensor<48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<48x256xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<48x256xf32>) -> tensor<48x256xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %h = linalg.matmul ins(%x, %v : tensor<48x64xf32>, tensor<64x256xf32>)
    outs(%f : tensor<48x256xf32>) -> tensor<48x256xf32>
  %y = linalg.matmul ins(%h, %w : tensor<48x256xf32>, tensor<256x64xf32>)
    outs(%g : tensor<48x64xf32>) -> tensor<48x64xf32>
  func.return %y : tensor<48x64xf32>
}
"""


@dataclass(frozen=True)
class Drawn:
    """A small function laid out as one group."""

    graph: SplitGraph
    layout: GroupLayout

    @classmethod
    def of(cls, text: str, *cuts: LoopCut) -> "Drawn":
        """Lay out the only function of a text, its last operation cut."""
        module = Parser(full_context(), text).parse_module()
        (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
        graph = FunctionSplitGraph.of(function).graph
        return cls(graph, lay_out(graph, SplitMachine(None), len(graph.ops) - 1, cuts, []))

    def position(self, name: str) -> int:
        """The tensor of a name."""
        return next(i for i, tensor in enumerate(self.graph.tensors) if tensor.name == name)

    def track(self, name: str, dimension: int) -> Track | None:
        """The ranges over the tiles of a dimension; None if all tiles have all of it."""
        span: Span = self.layout.tensors[self.position(name)][dimension]
        return self.layout.tracks[span.first][span.second] if span.driven else None


def new_figure(width: float, height: float) -> Any:
    """A figure that needs no display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _add_legend(figure: Any, *entries: tuple[str, str]) -> None:
    """Add what the colors mean, below all panels."""
    figure.legend(
        handles=[
            Patch(facecolor=color, edgecolor="#888888" if color == COMING else color, label=label)
            for color, label in entries
        ],
        loc="outside lower center",
        ncols=len(entries),
        fontsize=8,
        frameon=False,
    )


def draw_tiles(output: Path) -> None:
    """Four tiles of rows: one line of panels with kept overlaps, one computed again."""
    figure = new_figure(10, 6.4)
    halos: tuple[Halo, ...] = ("cache", "recompute")
    for line, halo in enumerate(halos):
        drawn = Drawn.of(CONVOLUTIONS, LoopCut("result", 0, 2, 4, 0, halo))
        for tile in range(drawn.layout.tiles(0)):
            axes: Any = figure.add_subplot(2, 4, 1 + 4 * line + tile)
            _draw_tile(axes, drawn, tile)
            if tile == 0:
                how = "overlaps kept" if halo == "cache" else "overlaps computed again"
                work = drawn.layout.cost.work
                axes.set_ylabel(f"{how}\n{work:,} multiply-adds", fontsize=9)
            axes.set_title(f"tile {tile}", fontsize=9)
    _add_legend(
        figure,
        (NEW, "computed (or read) by this tile"),
        (KEPT, "kept from the tile before"),
        (AGAIN, "computed (or read) again"),
        (PAST, "done"),
        (COMING, "to come"),
    )
    figure.savefig(output, dpi=130)


def _draw_tile(axes: Any, drawn: Drawn, tile: int) -> None:
    # A row of y stands beside the middle one of the three that it is made of.
    for column, (name, shift, label) in enumerate(
        (("p", 1, "x, padded"), ("q", 1, "h, padded"), ("y", 0, "y"))
    ):
        track = drawn.track(name, 2)
        assert track is not None
        rows = drawn.graph.tensors[drawn.position(name)].shape[2]
        new, (kept, kept_end) = track.new[tile], track.overlap(tile)
        before = max((end for _, end in track.new[:tile]), default=0)
        for row in range(rows):
            color = COMING
            if kept <= row < kept_end:
                color = KEPT
            elif new[0] <= row < new[1]:
                color = AGAIN if row < before else NEW
            elif row < before:
                color = PAST
            place = (column, row - shift)
            axes.add_patch(Rectangle(place, 0.82, 1, facecolor=color, edgecolor="white", lw=0.6))
        axes.text(column + 0.41, 17.8, label, ha="center", va="top", fontsize=7.5)
    axes.set_xlim(-0.1, 2.95)
    axes.set_ylim(19, -1.2)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)


def draw_border(output: Path) -> None:
    """Four of the tiles along rows and columns: what is on chip of the tensor between."""
    rows, columns = (LoopCut("result", 0, dimension, 4, 0, "cache") for dimension in (2, 3))
    drawn = Drawn.of(CONVOLUTIONS, rows, columns)
    figure = new_figure(10, 3.2)
    tiles = ((0, 1), (1, 0), (1, 1), (1, 2))
    for number, (row, column) in enumerate(tiles):
        axes: Any = figure.add_subplot(1, len(tiles), 1 + number)
        _draw_bordered(axes, drawn, row, column)
        axes.set_title(f"row {row}, tile {column}", fontsize=9)
    _add_legend(
        figure,
        (NEW, "computed by this tile"),
        (KEPT, "kept from the tile before"),
        (FOUND, "found in the border"),
        (BORDER, "the rest of the border"),
        (PAST, "done"),
        (COMING, "to come"),
    )
    figure.savefig(output, dpi=130)


def _draw_bordered(axes: Any, drawn: Drawn, row: int, column: int) -> None:
    down, across = drawn.track("q", 2), drawn.track("q", 3)
    assert down is not None
    assert across is not None
    new_rows, found, left = down.new[row], down.overlap(row), down.overlap(row + 1)
    new_columns, kept = across.new[column], across.overlap(column)

    def color(y: int, x: int) -> str:
        at_hand = found[0] <= y < new_rows[1]
        if at_hand and kept[0] <= x < kept[1]:
            return KEPT
        if at_hand and new_columns[0] <= x < new_columns[1]:
            return NEW if y >= new_rows[0] else FOUND
        # Before this tile the row has written, behind it the row before.
        written = left if x < new_columns[0] else found
        if written[0] <= y < written[1]:
            return BORDER
        is_done = y < new_rows[0] or (y < new_rows[1] and x < new_columns[0])
        return PAST if is_done else COMING

    height, width = drawn.graph.tensors[drawn.position("q")].shape[2:]
    for y in range(height):
        for x in range(width):
            axes.add_patch(
                Rectangle((x, y), 1, 1, facecolor=color(y, x), edgecolor="white", lw=0.4)
            )
    axes.set_xlim(-0.5, width + 0.5)
    axes.set_ylim(height + 0.5, -0.5)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_sum(output: Path) -> None:
    """Three of four tiles of the sum: what of each matrix is on chip."""
    drawn = Drawn.of(PRODUCTS, LoopCut("sum", 1, 2, 64, 0, "recompute"))
    figure = new_figure(10, 3.4)
    tiles = (0, 1, 3)
    for number, tile in enumerate(tiles):
        axes: Any = figure.add_subplot(1, len(tiles), 1 + number)
        # As products are written by hand: v above h, w above y, the left factor beside.
        for name, left, top, label in (
            ("x", 0, 84, "x"),
            ("v", 84, -2, "v"),
            ("h", 84, 84, "h = x v"),
            ("w", 360, -192, "w"),
            ("y", 360, 84, "y += h w"),
        ):
            _draw_matrix(axes, drawn, name, tile, (left, top), label)
        axes.set_xlim(-6, 452)
        axes.set_ylim(156, -215)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_title(f"tile {tile}", fontsize=9)
    _add_legend(
        figure,
        (NEW, "computed (or read) by this tile"),
        (KEPT, "on chip throughout"),
        (PAST, "done, its room is free"),
        (COMING, "to come"),
    )
    figure.savefig(output, dpi=130)


def _draw_matrix(
    axes: Any, drawn: Drawn, name: str, tile: int, corner: tuple[int, int], label: str
) -> None:
    rows, columns = drawn.graph.tensors[drawn.position(name)].shape
    tracks = [drawn.track(name, dimension) for dimension in range(2)]
    cut = next((d for d in range(2) if tracks[d] is not None), None)
    left, top = corner
    if cut is None:
        axes.add_patch(Rectangle(corner, columns, rows, facecolor=KEPT, edgecolor="white", lw=0.8))
    else:
        track = tracks[cut]
        assert track is not None
        for number, (start, end) in enumerate(track.new):
            color = NEW if number == tile else PAST if number < tile else COMING
            place = (left + start, top) if cut == 1 else (left, top + start)
            size = (end - start, rows) if cut == 1 else (columns, end - start)
            axes.add_patch(Rectangle(place, *size, facecolor=color, edgecolor="white", lw=0.8))
    axes.text(left + columns / 2, top + rows + 3, label, ha="center", va="top", fontsize=7.5)


def draw_arena(network: Path, output: Path) -> None:
    """The arena before, after in the same scale, and after alone."""
    sys.setrecursionlimit(10_000)
    before = _planned(network, [MemplanSchedulePass(objective="fit")])
    grouping = MemplanGroupPass(objective="peak", stage="none")
    chains = MemplanFuseElementwisePass(chains=True)
    split = [chains, MemplanFormLayersPass(), grouping, MemplanExpandGroupsPass()]
    after = _planned(network, split)
    scale = _bytes(before)
    figure = new_figure(10, 6.6)
    grid = figure.add_gridspec(2, 2)
    for place, boxes, top, title in (
        (grid[0, 0], before, scale, "before"),
        (grid[0, 1], after, scale, "split, in the same scale"),
        (grid[1, :], after, _bytes(after), "split"),
    ):
        axes: Any = figure.add_subplot(place)
        _draw_boxes(axes, boxes, top)
        size = f"{_bytes(boxes):,} bytes ({format_byte_size(_bytes(boxes))})"
        axes.set_title(f"{title}: {size}", fontsize=9, loc="left")
    figure.savefig(output, dpi=130)


Boxes = Sequence[tuple[int, int, int, int]]
"""Start, end, size and offset of each buffer."""


def _planned(network: Path, passes: Sequence[ModulePass]) -> Boxes:
    context = full_context()
    module: ModuleOp = Parser(context, network.read_text(encoding="utf-8")).parse_module()
    for stage in (
        MemplanFoldTransposesPass(),
        MemplanFoldReshapesPass(),
        MemplanFuseElementwisePass(),
        *passes,
        MemplanAnnotateLifetimesPass(),
        MemplanBufferizePass(),
        MemplanAssignOffsetsPass(),
        MemplanVerifyPass(),
    ):
        stage.apply(context, module)
    boxes: list[tuple[int, int, int, int]] = []
    for buffer in the_problem(module, "", "", "").buffers:
        offset = buffer.trait.get_offset(buffer.op)
        assert offset is not None
        boxes.append((buffer.lifetime.start, buffer.lifetime.end, buffer.size, offset))
    return boxes


def _bytes(boxes: Boxes) -> int:
    return max(size + offset for _, _, size, offset in boxes)


def _draw_boxes(axes: Any, boxes: Boxes, top: int) -> None:
    largest = max(size for _, _, size, _ in boxes)
    for start, end, size, offset in boxes:
        shade = 0.25 + 0.6 * (size / largest) ** 0.5
        axes.add_patch(
            Rectangle(
                (start, offset),
                end - start,
                size,
                facecolor=(0.12, 0.35 + 0.4 * (1 - shade), 0.6, shade),
                edgecolor="white",
                linewidth=0.3,
            )
        )
    axes.set_xlim(0, max(end for _, end, _, _ in boxes))
    axes.set_ylim(0, top * 1.04)
    axes.set_xlabel("tick (operation)", fontsize=8)
    axes.set_ylabel("KiB", fontsize=8)
    axes.yaxis.set_major_locator(MultipleLocator(2 ** (top // 8).bit_length()))
    axes.yaxis.set_major_formatter(_in_kib)
    axes.tick_params(labelsize=7)


def _in_kib(value: float, _: int) -> str:
    return f"{value / 1024:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="pictures of splitting")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs" / "figures")
    folder: Path = parser.parse_args().folder
    draw_tiles(folder / "split_tiles.png")
    draw_border(folder / "split_border.png")
    draw_sum(folder / "split_sum.png")
    draw_arena(ROOT / "examples" / "mobilenet_v2.mlir", folder / "split_arena.png")


if __name__ == "__main__":
    main()
