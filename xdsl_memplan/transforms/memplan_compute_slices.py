"""Computes slices of features apart, where nothing else is read of a product."""

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import ExtractSliceOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.functions_with_slices import functions_with_slices
from xdsl_memplan.analysis.sliced_products import Range, SlicedResult, range_of, sliced_result
from xdsl_memplan.analysis.trait_answers import checked_tile
from xdsl_memplan.dialects.tiling import LoopRange, Tile
from xdsl_memplan.dialects.tiling_models.tile_values import box_shape, shape_of, sliced
from xdsl_memplan.model.split_graph import ranges_read
from xdsl_memplan.transforms.unread import erase_unread


@dataclass(frozen=True)
class MemplanComputeSlicesPass(ModulePass):
    """Compute slices of features apart, where nothing else is read of a product.

    Before, one product makes both halves of a gate:

    ```mlir
    %p = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x32xf32>)
        outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
    %a = tensor.extract_slice %p[0, 0] [64, 16] [1, 1] : tensor<64x32xf32> to tensor<64x16xf32>
    %b = tensor.extract_slice %p[0, 16] [64, 16] [1, 1] : tensor<64x32xf32> to tensor<64x16xf32>
    ```

    After, two do, each with its part of the weight:

    ```mlir
    %u = tensor.extract_slice %w[0, 0] [8, 16] [1, 1] : tensor<8x32xf32> to tensor<8x16xf32>
    %a = linalg.matmul ins(%x, %u : tensor<64x8xf32>, tensor<8x16xf32>)
        outs(%y : tensor<64x16xf32>) -> tensor<64x16xf32>
    %v = tensor.extract_slice %w[0, 16] [8, 16] [1, 1] : tensor<8x32xf32> to tensor<8x16xf32>
    %b = linalg.matmul ins(%x, %v : tensor<64x8xf32>, tensor<8x16xf32>)
        outs(%y : tensor<64x16xf32>) -> tensor<64x16xf32>
    ```

    A tile of some features of what reads the halves then needs as many of each; of one product it
    would need the box that holds both, which is nearly all of it. The same for gates of a recurrent
    cell, for queries, keys and values of one product, for what changes a product element by
    element, gives it another shape or order before it is sliced, and for convolutions. Each part is
    made as a tile of the product is made, so the result is the same bit for bit.

    Options: none. Requires nothing. What has other readers, more than eight ranges or ranges that
    overlap, dynamic sizes, effects or no `TilingTrait` is left alone.
    """

    name = "memplan-compute-slices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Take apart what can be in all functions of the module ``op``."""
        for function in functions_with_slices(op):
            # Each operation after all of its readers.
            if any([_taken_apart(inner) for inner in reversed(list(function.body.block.ops))]):
                erase_unread(function)


def _taken_apart(op: Operation) -> bool:
    """Compute the ranges that are read of an operation's result apart, if that can be."""
    result = sliced_result(op)
    if result is None:
        return False
    parts = {part: _part(op, result, part) for part in result.ranges}
    for use in list(op.results[0].uses):
        reader = use.operation
        assert isinstance(reader, ExtractSliceOp)
        part = range_of(reader, result.dim)
        offsets = list(reader.static_offsets.get_values())
        offsets[result.dim] -= part[0]
        sizes = reader.static_sizes.get_values()
        builder = Builder(InsertPoint.before(reader))
        strides = [1] * len(sizes)
        shape = shape_of(reader.result)
        taken = sliced(parts[part], offsets, sizes, strides, shape, builder)
        taken.name_hint = taken.name_hint or reader.result.name_hint
        reader.result.replace_all_uses_with(taken)
        reader.detach()
        reader.erase()
    for made in parts.values():
        made.name_hint = made.name_hint or op.results[0].name_hint
    # So that what it reads is read in slices alone.
    op.detach()
    op.erase()
    return True


def _part(op: Operation, result: SlicedResult, part: Range) -> SSAValue:
    """Make one range of the result of an operation before it."""
    builder = Builder(InsertPoint.before(op))
    loops = result.loops_of(part)
    operands: list[SSAValue | None] = []
    for read in result.rule.reads:
        box = ranges_read(read.access, loops, result.rule.loops, shape_of(read.tensor))
        shape = box_shape(box)
        starts = [start for start, _ in box]
        is_read = all(start < stop for start, stop in box)
        taken = sliced(read.tensor, starts, shape, [1] * len(shape), shape, builder)
        operands.append(taken if is_read else None)
    ranges = [LoopRange(start, stop - start) for start, stop in loops]
    [made] = checked_tile(op, Tile(ranges, operands), builder)
    return made
