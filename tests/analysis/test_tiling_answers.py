"""What somebody else's `TilingTrait` answers is checked: no traceback, nothing is dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.interface_models import WritesInto
from xdsl_memplan.dialects.interfaces import Access, Effects, ReadsWritesTrait, TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.model.split_graph import Affine, Index
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

SHAPE = (32, 16)
SAME = Affine((Index(((0, 1),)), Index(((1, 1),))))


@dataclass(frozen=True)
class SourceThenTarget(ReadsWritesTrait):
    def effects(self, op: Operation) -> Effects:
        target = Access.NONE if op.results else Access.WRITE
        return Effects((Access.READ, target), (Access.WRITE,) * len(op.results))


def built(op: Operation, tile: Tile, builder: Builder, more: int = 0) -> Sequence[SSAValue]:
    rows, columns = (loop.size for loop in tile.loops)
    type_ = TensorType(f32, [rows + more, columns])
    [source] = tile.operands
    assert source is not None
    empty = builder.insert(tensor.EmptyOp((), type_))
    return builder.insert(
        type(op).create(operands=[source, empty.tensor], result_types=[type_])
    ).results


@dataclass(frozen=True)
class ByRows(TilingTrait):
    wrong: Callable[[TilingRule, Operation], Any] = lambda rule, op: rule
    wrong_tile: Callable[..., Any] = built

    def rule(self, op: Operation) -> TilingRule | None:
        type_ = op.results[0].type
        assert isinstance(type_, TensorType)
        reads = (Read(op.operands[0], SAME),)
        rule = TilingRule(type_.get_shape(), ("parallel",) * 2, (0, 1), reads)
        return self.wrong(rule, op)

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        return self.wrong_tile(op, tile, builder)


def program(trait: ByRows) -> ModuleOp:
    @irdl_op_definition
    class UnitOp(IRDLOperation):
        name = "unit.run"
        source = operand_def(AnyAttr())
        target = operand_def(AnyAttr())
        result = var_result_def(AnyAttr())
        traits = traits_def(Pure(), WritesInto(1), SourceThenTarget(), trait)

    type_ = TensorType(f32, SHAPE)
    function = func.FuncOp("main", ((type_,), (type_,)))
    empty = tensor.EmptyOp((), type_)
    op = UnitOp.build(operands=[function.args[0], empty.tensor], result_types=[[type_]])
    function.body.block.add_ops([empty, op, func.ReturnOp(op.result[0])])
    return ModuleOp([function])


def in_tiles(trait: ByRows) -> ModuleOp:
    module = program(trait)
    MemplanPipelinePass(memory="L1=512,DDR", stage="all").apply(Context(), module)
    return module


def reads(*indices: Index) -> Callable[[TilingRule, Operation], TilingRule]:
    return lambda rule, op: replace(rule, reads=(Read(op.operands[0], Affine(indices)),))


def changed(**fields: Any) -> Callable[[TilingRule, Operation], TilingRule]:
    return lambda rule, op: replace(rule, **fields)


ROW, COLUMN = SAME.indices


def test_what_makes_sense_is_taken():
    assert "scf.for" in str(in_tiles(ByRows()))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda rule, op: [1, 2], r"has \[1, 2\] as its rule"),
        (lambda rule, op: op.nothing, "raises AttributeError"),
        (changed(iterators=("parallel",)), "has 2 loops and 1 iterators"),
        (changed(iterators=("parallel", "odd")), "iterator 'odd'"),
        (changed(loops=(64, 16)), r"dimensions of \[32, 16\] by loops \[0, 1\] of \[64, 16\]"),
        (changed(result_access=(0, 5)), r"by loops \[0, 5\]"),
        (changed(result_access=(0, -1)), r"by loops \[0, -1\]"),
        (changed(result_access=(0, None)), r"by loops \[0, None\]"),
        (changed(work_per_point=-1), "work_per_point is -1"),
        (changed(parts=(3,)), "has 3 among its parts, and 1 reads"),
        (changed(cuttable=((9, 2),)), r"says that \(9, 2\) may be cut"),
        (changed(cuttable=((1,),)), r"its reductions are \[\]"),
        (reads(ROW), "reads 2 dimensions at 1 indices"),
        (reads(Index(((7, 1),)), COLUMN), r"reads at loops \[7\] and has 2"),
        (reads(Index(((0, 0),)), COLUMN), "a factor of a loop is 0"),
        (reads(Index(((0, -1),)), COLUMN), "a factor of a loop is -1"),
        (reads(Index(((0, 1),), divisor=0), COLUMN), "a divisor is 0"),
        (lambda rule, op: replace(rule, reads=(Read(op.results[0], SAME),)), "something else"),
        (lambda rule, op: replace(rule, reads=(Read(op.operands[0], None),)), "is no access"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_name(wrong: Any, message: str):
    """Before, these were tracebacks, one a panic of the core, or taken for another rule."""
    for run in (in_tiles, lambda trait: MemplanPipelinePass().apply(Context(), program(trait))):
        with pytest.raises(
            PassFailedException, match=f"'unit.run' .*: its TilingTrait .*{message}"
        ):
            run(ByRows(wrong))


@pytest.mark.parametrize(
    ("tile", "message"),
    [
        (lambda op, tile, builder: [], "builds a tile with 0 results, not 1"),
        (lambda op, tile, builder: [*built(op, tile, builder)] * 2, "with 2 results, not 1"),
        (lambda op, tile, builder: built(op, tile, builder, more=1), "builds a tile of tensor<"),
        (lambda op, tile, builder: tile.nothing, "raises AttributeError"),
    ],
)
def test_a_tile_that_is_none_is_refused_by_name(tile: Any, message: str):
    said = f"'unit.run' .*: its TilingTrait .*{message}"
    with pytest.raises(PassFailedException, match=said):
        in_tiles(ByRows(wrong_tile=tile))
    # By peak the function would be left whole without a word.
    with pytest.raises(PassFailedException, match=said):
        MemplanPipelinePass(objective="peak").apply(Context(), program(ByRows(wrong_tile=tile)))
