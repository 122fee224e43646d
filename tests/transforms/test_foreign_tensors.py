"""Operations on tensors of somebody else's dialect go through every pass by their traits alone."""

from dataclasses import dataclass

import pytest
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Operation
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
from xdsl_memplan.dialects.interfaces import Access, Effects, InPlaceTrait, ReadsWritesTrait, Tie
from xdsl_memplan.dialects.memplan import ArenaOp, BufferOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.bufferize.records import OperationRecord, register
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


@dataclass(frozen=True)
class ReadsThenWrites(ReadsWritesTrait):
    """The source is read; the target is written, or is the shape of what is."""

    def effects(self, op: Operation) -> Effects:
        target = Access.NONE if op.results else Access.WRITE
        return Effects((Access.READ, target), (Access.WRITE,) * len(op.results))


@dataclass(frozen=True)
class OverItsSource(InPlaceTrait):
    def overwrites(self, op: Operation) -> tuple[Tie, ...]:
        return (Tie(0, 0),) if op.results else ()


class Unit(IRDLOperation):
    """Destination-passing style: one result on tensors, none on memrefs."""

    source = operand_def(AnyAttr())
    target = operand_def(AnyAttr())
    result = var_result_def(AnyAttr())


@irdl_op_definition
class ScaleOp(Unit):
    name = "acc.scale"
    traits = traits_def(Pure(), WritesInto(1), ReadsThenWrites(), OverItsSource())


@irdl_op_definition
class MixOp(Unit):
    name = "acc.mix"
    traits = traits_def(Pure(), WritesInto(1), ReadsThenWrites())


@dataclass(frozen=True)
class ReadsBoth(ReadsWritesTrait):
    """Old contents of the target count, too."""

    def effects(self, op: Operation) -> Effects:
        target = Access.READ if op.results else Access.READ_WRITE
        return Effects((Access.READ, target), (Access.WRITE,) * len(op.results))


@irdl_op_definition
class CombineOp(Unit):
    name = "acc.combine"
    traits = traits_def(Pure(), WritesInto(1), ReadsBoth())


@irdl_op_definition
class HaloOp(IRDLOperation):
    """Says nothing about where its result goes."""

    name = "acc.halo"
    source = operand_def(AnyAttr())
    result = var_result_def(AnyAttr())
    traits = traits_def(Pure())


TYPE = TensorType(f32, [16])


def program(*classes: type[Unit]) -> ModuleOp:
    function = func.FuncOp("main", ((TYPE,), (TYPE,)))
    value = function.args[0]
    empty = tensor.EmptyOp((), TYPE)
    function.body.block.add_op(empty)
    for op_class in classes:
        op = op_class.build(operands=[value, empty.tensor], result_types=[[TYPE]])
        function.body.block.add_op(op)
        value = op.result[0]
    function.body.block.add_op(func.ReturnOp(value))
    return ModuleOp([function])


def bufferized(module: ModuleOp) -> ModuleOp:
    *stages, _ = MemplanPipelinePass().passes()
    for stage in stages:
        stage.apply(full_context(), module)
        module.verify()
    return module


def arena_bytes(module: ModuleOp) -> int:
    return sum(op.size.value.data for op in module.ops if isinstance(op, ArenaOp) and op.size)


def test_it_becomes_the_same_operation_on_memrefs():
    module = bufferized(program(MixOp, MixOp))
    ops = [op for op in module.walk() if isinstance(op, MixOp)]
    assert [len(op.results) for op in ops] == [0, 0]
    assert sum(isinstance(op, BufferOp) for op in module.walk()) == 2
    # Each keeps its source while it writes.
    assert arena_bytes(module) == 128


def test_it_works_in_place_where_its_trait_says_so():
    assert arena_bytes(bufferized(program(MixOp, ScaleOp, ScaleOp))) == 64


def test_what_is_missing_is_named():
    function = func.FuncOp("main", ((TYPE,), (TYPE,)))
    op = HaloOp.build(operands=[function.args[0]], result_types=[[TYPE]])
    function.body.block.add_ops([op, func.ReturnOp(op.result[0])])
    with pytest.raises(PassFailedException, match=r"acc\.halo.*DestinationTrait"):
        MemplanPipelinePass().apply(full_context(), ModuleOp([function]))


def test_a_record_may_be_registered():
    seen: list[str] = []

    def place(placement: object, op: Operation) -> None:
        seen.append(op.name)

    register(HaloOp, OperationRecord(place))
    try:
        function = func.FuncOp("main", ((TYPE,), (TYPE,)))
        op = HaloOp.build(operands=[function.args[0]], result_types=[[TYPE]])
        function.body.block.add_ops([op, func.ReturnOp(function.args[0])])
        MemplanPipelinePass(objective="none").apply(full_context(), ModuleOp([function]))
    finally:
        register(HaloOp, None)
    assert seen == [], "nobody uses the result, so it goes before it is placed"
