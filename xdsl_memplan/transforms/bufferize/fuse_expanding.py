"""Computes a tensor that is larger than what it is made from where it is used.

A mask, a broadcast or a gather makes a large tensor from small ones. If all it is used by is one
`linalg.generic`, which needs each element once, its computation moves into that generic and the
tensor is never stored: the small ones live a little longer instead. Each element is computed once,
from the same numbers by the same operations.
"""

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap
from xdsl.traits import is_side_effect_free

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.order import Order

_LONGEST_BODY = 256
"""Operations of a body that may still be moved; keeps long chains linear."""


def fuse_expanding(order: Order) -> None:
    """Fuse until every generic has been offered all it reads; linear in the operations fused."""
    for op in list(order.operations):
        if not isinstance(op, linalg_ops.GenericOp):
            continue
        consumer = op
        found = _producer(consumer, order)
        while found is not None:
            consumer = _fuse(found, consumer, order)
            found = _producer(consumer, order)


def _producer(consumer: linalg_ops.GenericOp, order: Order) -> linalg_ops.GenericOp | None:
    for operand in consumer.inputs:
        if not isinstance(operand, OpResult) or not isinstance(operand.op, linalg_ops.GenericOp):
            continue
        producer = operand.op
        if (
            producer.parent is consumer.parent
            and all(use.operation is consumer for use in operand.uses)
            and _is_pure_map(producer)
            and _reads_once(consumer, operand)
            and _saves(producer, consumer, order)
        ):
            return producer
    return None


def _is_pure_map(op: linalg_ops.GenericOp) -> bool:
    """Tell whether each element of the only result is computed on its own, without effects."""
    if len(op.results) != 1 or not is_tensor(op.results[0]):
        return False
    if any(t.data is not IteratorType.PARALLEL for t in op.iterator_types):
        return False
    indexing_map = op.indexing_maps.data[-1].data
    if indexing_map != AffineMap.identity(indexing_map.num_dims):
        return False
    block = op.body.block
    if block.args[-1].uses or len(list(block.ops)) > _LONGEST_BODY:
        return False
    return all(
        isinstance(inner, linalg_ops.IndexOp | linalg_ops.YieldOp)
        or (is_side_effect_free(inner) and not inner.regions)
        for inner in block.ops
    )


def _reads_once(consumer: linalg_ops.GenericOp, value: SSAValue) -> bool:
    """Tell whether `consumer` reads each element of an input in one iteration, and all alike."""
    maps = {
        consumer.indexing_maps.data[index].data
        for index, operand in enumerate(consumer.operands)
        if operand is value
    }
    if len(maps) != 1 or value in consumer.outputs:
        return False
    [indexing_map] = maps
    results = indexing_map.results
    if not all(isinstance(r, AffineDimExpr | AffineConstantExpr) for r in results):
        return False
    if any(t.data is not IteratorType.PARALLEL for t in consumer.iterator_types):
        return False
    return len(indexing_map.used_dims()) == indexing_map.num_dims


def _saves(producer: linalg_ops.GenericOp, consumer: linalg_ops.GenericOp, order: Order) -> bool:
    """Tell whether what has to live longer is smaller than what is not stored any more."""
    position = order.position[consumer]
    longer = 0
    captured = {
        operand
        for inner in producer.body.block.ops
        for operand in inner.operands
        if is_tensor(operand)
    }
    inputs = {value for value in producer.inputs if is_tensor(value)} | captured
    for value in inputs:
        if not order.lives_until(value, position, besides=producer):
            longer += size_bytes(value.type) or 0
    return longer < (size_bytes(producer.results[0].type) or 0)


def _fuse(
    producer: linalg_ops.GenericOp, consumer: linalg_ops.GenericOp, order: Order
) -> linalg_ops.GenericOp:
    """Replace the consumer by a generic that computes what the producer did."""
    value = producer.results[0]
    places = [index for index, operand in enumerate(consumer.inputs) if operand is value]
    indexing_map = consumer.indexing_maps.data[places[0]].data
    kept = [index for index in range(len(consumer.inputs)) if index not in places]
    outputs = range(len(consumer.inputs), len(consumer.operands))
    body = consumer.detach_region(consumer.body)
    block = body.block
    arguments = dict[SSAValue, SSAValue]()
    inputs = [consumer.operands[index] for index in kept]
    maps = [consumer.indexing_maps.data[index] for index in kept]
    inner_arguments = [block.args[index] for index in kept]
    added = 0
    first = block.first_op
    assert first is not None
    for index, operand in enumerate(producer.inputs):
        old = producer.indexing_maps.data[index].data
        new = AffineMapAttr(
            AffineMap(
                indexing_map.num_dims,
                0,
                tuple(e.replace_dims_and_symbols(indexing_map.results, ()) for e in old.results),
            )
        )
        known = next((i for i, v in enumerate(inputs) if v is operand and maps[i] == new), None)
        if known is None:
            inputs.append(operand)
            maps.append(new)
            type = producer.body.block.args[index].type
            inner_arguments.append(block.insert_arg(type, len(consumer.inputs) + added))
            known, added = len(inputs) - 1, added + 1
        arguments[producer.body.block.args[index]] = inner_arguments[known]
    result: SSAValue | None = None
    for inner in producer.body.block.ops:
        if isinstance(inner, linalg_ops.YieldOp):
            result = arguments.get(inner.operands[0], inner.operands[0])
            continue
        clone = _cloned(inner, arguments, indexing_map)
        block.insert_op_before(clone, first)
        for old, new in zip(inner.results, clone.results, strict=True):
            arguments[old] = new
    assert result is not None
    for index in reversed(places):
        block.args[index].replace_all_uses_with(result)
        block.erase_arg(block.args[index])
    maps += [consumer.indexing_maps.data[index] for index in outputs]
    new = linalg_ops.GenericOp(
        inputs,
        consumer.outputs,
        body,
        ArrayAttr(maps),
        consumer.iterator_types,
        [r.type for r in consumer.results],
    )
    order.replace(consumer, new)
    if not value.uses:
        order.erase(producer)
    return new


def _cloned(
    op: Operation, arguments: dict[SSAValue, SSAValue], indexing_map: AffineMap
) -> Operation:
    if isinstance(op, linalg_ops.IndexOp):
        expression = indexing_map.results[op.dim.value.data]
        if isinstance(expression, AffineConstantExpr):
            return arith.ConstantOp(IntegerAttr(expression.value, IndexType()))
        return linalg_ops.IndexOp(cast(AffineDimExpr, expression).position)
    return op.clone(value_mapper=dict(arguments))
