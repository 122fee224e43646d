"""Structured operations with a name, written as the `linalg.generic` that they stand for."""

from collections.abc import Sequence

from xdsl.dialects.arith import BitcastOp as ArithBitcastOp
from xdsl.dialects.builtin import AffineMapAttr, ShapedType, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import BroadcastOp, GenericOp, IndexOp, ReduceOp, YieldOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.linalg_additions.indexing import iterators_of, map_without
from xdsl_memplan.dialects.linalg_additions.map import MapOp
from xdsl_memplan.dialects.tensor_additions import BitcastOp, GenerateOp

_MEMOIZED = "linalg.memoized_indexing_maps"


def structured_as_generic(op: LinalgStructuredOperation) -> GenericOp:
    """Replace an operation by a generic one with its maps, loops and body; one that is stays."""
    if isinstance(op, GenericOp):
        return op
    maps, kinds = op.get_indexing_maps(), op.get_iterator_types()
    body = op.detach_region(op.body)
    return replaced(op, (op.inputs, op.outputs), body, (maps.data, kinds.data))


def broadcast_as_generic(op: BroadcastOp) -> GenericOp:
    """Replace a broadcast by a generic operation that reads along the dimensions it had."""
    rank = _rank_of(op.init)
    read = map_without(rank, op.dimensions.get_values())
    maps = [AffineMapAttr(map_) for map_ in (read, AffineMap.identity(rank))]
    body = op.detach_region(op.hidden_region)
    return replaced(op, ([op.input], [op.init]), body, (maps, _parallel(rank)))


def reduce_as_generic(op: ReduceOp) -> GenericOp:
    """Replace a reduction by a generic operation with the same body, loops in the same order."""
    rank = _rank_of(op.input)
    written = map_without(rank, op.dimensions.get_values())
    maps = [AffineMapAttr(map_) for map_ in (AffineMap.identity(rank), written)]
    body = op.detach_region(op.region)
    return replaced(op, ([op.input], [op.init]), body, (maps, iterators_of(written).data))


def map_as_generic(op: MapOp) -> GenericOp:
    """Replace a map by a generic operation with the same body, in a nest of parallel loops."""
    rank = _rank_of(op.init)
    maps = [AffineMapAttr(AffineMap.identity(rank))] * len(op.operands)
    body = op.detach_region(op.mapper)
    return replaced(op, (op.inputs, [op.init]), body, (maps, _parallel(rank)))


def generate_as_generic(op: GenerateOp) -> GenericOp:
    """Replace `tensor.generate` by a generic operation whose body asks for its place."""
    rank = _rank_of(op.result)
    body = op.detach_region(op.body)
    block = body.block
    first = block.first_op
    assert first is not None
    for dimension, argument in enumerate(block.args):
        index = IndexOp(dimension)
        block.insert_op_before(index, first)
        argument.replace_all_uses_with(index.result)
    for argument in reversed(block.args):
        block.erase_arg(argument)
    block.insert_arg(op.result.type.element_type, 0)
    made = block.last_op
    assert made is not None
    Rewriter.replace_op(made, YieldOp(*made.operands))
    room = EmptyOp(op.dynamic_extents, op.result.type)
    assert op.parent is not None
    op.parent.insert_op_before(room, op)
    maps = [AffineMapAttr(AffineMap.identity(rank))]
    return replaced(op, ([], [room.tensor]), body, (maps, _parallel(rank)))


def bitcast_as_generic(op: BitcastOp) -> GenericOp:
    """Replace `tensor.bitcast` by a generic operation that takes the bits of each element."""
    source, dest = op.source.type, op.dest.type
    assert isa(source, TensorType[Attribute])
    assert isa(dest, TensorType[Attribute])
    rank = dest.get_num_dims()
    block = Block(arg_types=[source.element_type, dest.element_type])
    cast = ArithBitcastOp(block.args[0], dest.element_type)
    block.add_ops([cast, YieldOp(cast.result)])
    room = EmptyOp((), dest)
    assert op.parent is not None
    op.parent.insert_op_before(room, op)
    maps = [AffineMapAttr(AffineMap.identity(rank))] * 2
    return replaced(op, ([op.source], [room.tensor]), Region(block), (maps, _parallel(rank)))


def replaced(
    old: Operation,
    operands: tuple[Sequence[SSAValue], Sequence[SSAValue]],
    body: Region,
    loops: tuple[Sequence[AffineMapAttr], Sequence[IteratorTypeAttr]],
) -> GenericOp:
    """Put a generic operation in the place of another one, with its attributes and location."""
    inputs, outputs = operands
    maps, kinds = loops
    new = GenericOp(inputs, outputs, body, maps, kinds, old.result_types)
    new.attributes = {n: a for n, a in old.attributes.items() if n != _MEMOIZED}
    new.location = old.location
    assert old.parent is not None
    old.parent.insert_op_before(new, old)
    hand_over(old, new.results)
    return new


def hand_over(old: Operation, results: Sequence[SSAValue]) -> None:
    """Let others read `results` instead of those of an operation, and erase it."""
    for result, made in zip(old.results, results, strict=True):
        made.name_hint = result.name_hint
        result.replace_all_uses_with(made)
    old.detach()
    old.erase()


def _rank_of(value: SSAValue) -> int:
    assert isinstance(value.type, ShapedType)
    return value.type.get_num_dims()


def _parallel(rank: int) -> list[IteratorTypeAttr]:
    return [IteratorTypeAttr.parallel()] * rank
