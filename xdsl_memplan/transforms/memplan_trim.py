"""Computes only the part of a tensor that somebody reads."""

from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.functions_with_slices import functions_with_slices
from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.trait_answers import check_answers, checked_tile
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling import LoopRange, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import box_shape, shape_of, sliced
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.model.split_graph import Box, bounding_box, box_elements, ranges_read, whole
from xdsl_memplan.transforms.unread import erase_unread

_MOST = 2
"""A part is computed alone if it is no more than one in so many elements."""


@dataclass(frozen=True)
class MemplanTrimPass(ModulePass):
    """Compute only the part of a tensor that somebody reads.

    Before, all rows are computed, and one is read:

    ```mlir
    %p = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x8xf32>)
        outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
    %y = tensor.extract_slice %p[63, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
    ```

    After:

    ```mlir
    %a = tensor.extract_slice %x[63, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
    %b = tensor.extract_slice %z[63, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
    %y = linalg.matmul ins(%a, %w : tensor<1x8xf32>, tensor<8x8xf32>)
        outs(%b : tensor<1x8xf32>) -> tensor<1x8xf32>
    ```

    So do networks of which only the last step counts (a causal one), or the first token of the last
    layer (a vision transformer). The part is the least box around all that is read, with the rows
    that windows reach; each operation that has a `TilingTrait` makes it as it makes a tile, so the
    result is the same bit for bit. Parts of more than half of a tensor are not worth it: the last
    column that a pooling of step 2 leaves out stays, as odd sizes are harder to cut. What nobody
    reads at all is erased.

    Options: none. Requires nothing; what has effects is left alone, and of what has dynamic sizes
    or no `TilingTrait` no part is computed.
    """

    name = "memplan-trim"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Trim in all functions of the module ``op``; linear in their operations."""
        for function in operations_in(op):
            if isinstance(function, FuncOp):
                erase_unread(function)
        for function in functions_with_slices(op):
            block = function.body.block
            parts = _Parts.of(block)
            if parts.trimmed:
                _rebuild(block, parts)
                erase_unread(function)


@dataclass
class _Parts:
    """What is read of the tensors that a block makes."""

    rules: dict[Operation, TilingRule] = field(default_factory=dict[Operation, TilingRule])
    boxes: dict[SSAValue, Box] = field(default_factory=dict[SSAValue, Box])
    """The least box around all that is read; without an entry nothing is."""
    trimmed: set[SSAValue] = field(default_factory=set[SSAValue])
    """Results of which only their box is computed."""

    @staticmethod
    def of(block: Block) -> "_Parts":
        """Go back from the results of a block, each operation after all of its readers."""
        parts = _Parts()
        for op in reversed(list(block.ops)):
            parts._visit(op)
        return parts

    def part_of(self, op: Operation, rule: TilingRule) -> Box:
        """The loops that an operation runs: those that make its box, and all that it sums over."""
        loops = list(whole(rule.loops))
        box = next((self.boxes[result] for result in op.results if result in self.trimmed), ())
        for loop, extent in zip(rule.result_access, box, strict=False):
            if loop is not None:
                loops[loop] = extent
        return tuple(loops)

    def _visit(self, op: Operation) -> None:
        check_answers(op)
        rule = None if must_keep_order(op) else tiling_rule_of(op)
        if rule is None or not any(result in self.boxes for result in op.results):
            self._read_all(op)
            return
        self.rules[op] = rule
        self._trim(op)
        loops = self.part_of(op, rule)
        for read in rule.reads:
            shape = shape_of(read.tensor)
            box = ranges_read(read.access, loops, rule.loops, shape)
            if all(start < stop for start, stop in box):
                self._read(read.tensor, box)
        # Where nothing but room or one value is taken, it is made again in another shape.
        read_by_rule = {read.tensor for read in rule.reads}
        for value in values_used(op):
            if value not in read_by_rule and is_tensor(value.type):
                self._read(value, whole(shape_of(value)))

    def _trim(self, op: Operation) -> None:
        """Let an operation make one part of all its results, if that is little."""
        used = [result for result in op.results if result in self.boxes]
        box = self.boxes[used[0]]
        for result in used[1:]:
            box = bounding_box(box, self.boxes[result])
        if _MOST * box_elements(box) > box_elements(whole(shape_of(used[0]))):
            return
        for result in op.results:
            self.boxes[result] = box
            self.trimmed.add(result)

    def _read_all(self, op: Operation) -> None:
        for value in values_used(op):
            if is_tensor(value.type):
                self._read(value, whole(shape_of(value)))

    def _read(self, value: SSAValue, box: Box) -> None:
        known = self.boxes.get(value)
        self.boxes[value] = box if known is None else bounding_box(known, box)


def _rebuild(block: Block, parts: _Parts) -> None:
    """Make the parts instead of the whole tensors, and read them."""
    made: dict[SSAValue, SSAValue] = {}
    for op in list(block.ops):
        rule = parts.rules.get(op)
        if rule is None or not (
            any(result in parts.trimmed for result in op.results)
            or any(read.tensor in parts.trimmed for read in rule.reads)
        ):
            continue
        builder = Builder(InsertPoint.before(op))
        loops = parts.part_of(op, rule)
        operands: list[SSAValue | None] = []
        for read in rule.reads:
            box = ranges_read(read.access, loops, rule.loops, shape_of(read.tensor))
            is_read = all(start < stop for start, stop in box)
            operands.append(_taken(read.tensor, box, parts, made, builder) if is_read else None)
        ranges = [LoopRange(start, stop - start) for start, stop in loops]
        for result, value in zip(
            op.results, checked_tile(op, Tile(ranges, operands), builder), strict=True
        ):
            if result in parts.trimmed:
                made[result] = value
            else:
                value.name_hint = value.name_hint or result.name_hint
                result.replace_all_uses_with(value)


def _taken(
    value: SSAValue, box: Box, parts: _Parts, made: dict[SSAValue, SSAValue], builder: Builder
) -> SSAValue:
    """The elements of a box of a tensor, from the part of it that is made."""
    part = made.get(value, value)
    starts = [start for start, _ in parts.boxes[value]] if value in made else [0] * len(box)
    offsets = [start - first for (start, _), first in zip(box, starts, strict=True)]
    shape = box_shape(box)
    return sliced(part, offsets, shape, [1] * len(shape), shape, builder)
