"""An operation of somebody else takes part by a `TilingTrait`, and stays whole without one."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.interfaces import TilingTrait, attach
from xdsl_memplan.dialects.tiling import LoopRange, Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape, tile_type
from xdsl_memplan.dialects.tiling_queries import tile_operation, tiling_rule_of
from xdsl_memplan.model.split_graph import Affine, Index, Whole, operand_box


@irdl_op_definition
class DoubleRowsOp(IRDLOperation):
    name = "vendor.double_rows"
    source = operand_def()
    result = result_def()


@dataclass(frozen=True)
class DoubleRows(TilingTrait):
    """Row i of the result is the sum of rows 2 i and 2 i + 1."""

    def rule(self, op: Operation) -> TilingRule | None:
        shape = static_shape(op.results[0])
        if shape is None:
            return None
        access = Affine((Index(((0, 2), (2, 1))), Index(((1, 1),))))
        loops = (*shape, 2)
        reads = (Read(op.operands[0], access),)
        return TilingRule(loops, ("parallel", "parallel", "reduction"), (0, 1), reads)

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        type_ = tile_type(op.results[0].type, [loop.size for loop in tile.loops[:2]])
        operands = [operand for operand in tile.operands if operand is not None]
        return builder.insert(DoubleRowsOp(operands=operands, result_types=[type_])).results


def function() -> tuple[FuncOp, Operation]:
    block = Block(arg_types=[TensorType(f32, [8, 3])])
    op = DoubleRowsOp(operands=[block.args[0]], result_types=[TensorType(f32, [4, 3])])
    block.add_ops([op, ReturnOp(op.result)])
    types = ([block.args[0].type], [op.results[0].type])
    return FuncOp("main", types, Region(block)), op


def test_without_a_trait_it_stays_whole() -> None:
    whole_function, op = function()
    graph = FunctionSplitGraph.of(whole_function).graph
    assert tiling_rule_of(op) is None
    assert not graph.ops[0].splittable
    assert graph.ops[0].operands[0].access == Whole()


def test_with_a_trait_it_is_cut() -> None:
    attach(DoubleRowsOp, DoubleRows())
    whole_function, op = function()
    graph = FunctionSplitGraph.of(whole_function).graph
    loops = ((1, 3), (0, 3), (0, 2))
    assert operand_box(graph.ops[0], 0, loops) == ((2, 6), (0, 3))
    block = Block(arg_types=[tile_type(op.operands[0].type, [4, 3])])
    ranges = [LoopRange(start, stop - start) for start, stop in loops]
    (made,) = tile_operation(op, Tile(ranges, [block.args[0]]), Builder(InsertPoint.before(op)))
    assert static_shape(made) == (2, 3)
