"""Emission of views, single elements, and of what joins tensors and memrefs."""

from bisect import bisect_right
from typing import cast

from xdsl.dialects import bufferization, func, memref, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import (
    Memref,
    Tensor,
    dense_memref,
    is_dense,
)
from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.emit_structured import emit_extract_before
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.place import view_type
from xdsl_memplan.transforms.bufferize.tensor_views import views_of


def emit_constant(emitter: Emitter, op: Operation) -> bool:
    """A constant tensor goes, a scalar stays."""
    return is_tensor(op.results[0])


def emit_view(emitter: Emitter, op: Operation) -> bool:
    """A view of the memref, or of a dense copy where the layout does not allow it."""
    result = op.results[0]
    if emitter.placement.uniforms.of(result) is not None:
        return True
    source = emitter.memref_of(op.operands[0])
    views = views_of(op)
    if view_type(cast(Memref, source.type), views) is None:
        dense = dense_memref(cast(Tensor, op.operands[0].type), emitter.placement.space)
        copy = emitter.new_buffer(dense, source.name_hint)
        emitter.copy(source, copy)
        source = copy
    for view in views:
        source = emitter.view(source, view)
    if views:
        source.name_hint = result.name_hint
    emitter.memrefs[result] = source
    return True


def emit_extract(emitter: Emitter, op: Operation) -> bool:
    """Load the element."""
    assert isinstance(op, tensor.ExtractOp)
    emit_extract_before(emitter, op)
    return True


def emit_insert(emitter: Emitter, op: Operation) -> bool:
    """Store the element."""
    assert isinstance(op, tensor.InsertOp)
    target = emitter.put(op.dest, emitter.placement.places[op.result])
    emitter.memrefs[op.result] = target
    emitter.insert(memref.StoreOp.get(op.scalar, target, op.indices))
    return True


def emit_from_elements(emitter: Emitter, op: Operation) -> bool:
    """Store element after element."""
    assert isinstance(op, tensor.FromElementsOp)
    if emitter.placement.uniforms.of(op.result) is not None:
        return True
    target = emitter.at(emitter.placement.places[op.result], op.result.name_hint)
    emitter.memrefs[op.result] = target
    shape = op.result.type.get_shape()
    for number, element in enumerate(op.elements):
        indices: list[SSAValue] = []
        for extent in reversed(shape):
            indices.append(emitter.constant(IntegerAttr(number % extent, IndexType())))
            number //= extent
        emitter.insert(memref.StoreOp.get(element, target, indices[::-1]))
    return True


def emit_dim(emitter: Emitter, op: Operation) -> bool:
    """A constant, as all sizes are known; the operation stays if the dimension is not."""
    assert isinstance(op, tensor.DimOp)
    index = integer_constant(op.index)
    if index is not None:
        extent = cast(Tensor, op.source.type).get_shape()[index]
        emitter.replace(op.result, emitter.constant(IntegerAttr(extent, IndexType())))
        return True
    new = memref.DimOp(emitter.memref_of(op.source), op.index)
    emitter.insert(new)
    emitter.replace(op.result, new.result)
    return True


def emit_to_tensor(emitter: Emitter, op: Operation) -> bool:
    """The memref that the tensor came from."""
    assert isinstance(op, bufferization.ToTensorOp)
    emitter.memrefs[op.tensor] = op.memref
    return True


def emit_to_buffer(emitter: Emitter, op: Operation) -> bool:
    """The memref of the tensor; a copy if it may be written and the tensor is used elsewhere."""
    assert isinstance(op, bufferization.ToBufferOp)
    source = emitter.memref_of(op.tensor)
    root = emitter.placement.root(op.tensor)
    place = emitter.placement.places.get(root)
    shared = place is None or place.storage.resolve().external is not None
    shared = shared or len(emitter.liveness.content(root).uses) > 1
    if op.read_only is None and shared:
        copy = emitter.new_buffer(dense_memref(cast(Tensor, op.tensor.type)))
        emitter.copy(source, copy)
        source = copy
    if source.type != op.memref.type:
        cast_op = memref.CastOp.get(source, cast(Memref, op.memref.type))
        emitter.insert(cast_op)
        source = cast_op.dest
    emitter.replace(op.memref, source)
    return True


def emit_materialize(emitter: Emitter, op: Operation) -> bool:
    """A copy, unless the tensor was written to the destination straight away."""
    assert isinstance(op, bufferization.MaterializeInDestinationOp)
    if op.result is not None:
        place = emitter.placement.places[op.result]
        emitter.memrefs[op.result] = emitter.put(op.source, place)
        return True
    place = emitter.placement.place_of(op.source)
    external = None if place is None or place.views else place.storage.resolve().external
    if external is None or emitter.now(external) is not op.dest:
        uniform = emitter.placement.uniforms.of(op.source)
        if uniform is not None:
            emitter.fill(uniform.scalar, op.dest)
        else:
            emitter.copy(emitter.memref_of(op.source), op.dest)
    return True


def emit_alloc_tensor(emitter: Emitter, op: Operation) -> bool:
    """The storage, with what is copied into it."""
    assert isinstance(op, bufferization.AllocTensorOp)
    if op.copy is not None:
        place = emitter.placement.places[op.tensor]
        emitter.memrefs[op.tensor] = emitter.put(op.copy, place)
    return True


def emit_return(emitter: Emitter, op: Operation) -> bool:
    """Return memrefs; what is part of a larger buffer or constant is copied first."""
    if not any(is_tensor(value) for value in op.operands):
        return False
    values = [_returned(emitter, v) if is_tensor(v) else v for v in op.operands]
    emitter.insert(func.ReturnOp(*values))
    return True


def emit_call(emitter: Emitter, op: Operation) -> bool:
    """Call with memrefs; a result that another call could overwrite is copied."""
    assert isinstance(op, func.CallOp)
    if not any(is_tensor(value) for value in (*op.operands, *op.results)):
        return False
    written = emitter.written_by(op)
    operands = [
        _handed_over(emitter, op, i, written=i in written) if is_tensor(v) else v
        for i, v in enumerate(op.operands)
    ]
    types = [
        dense_memref(cast(Tensor, r.type), emitter.placement.space) if is_tensor(r) else r.type
        for r in op.results
    ]
    new = func.CallOp(op.callee, operands, types)
    new.location = op.location
    emitter.insert(new)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        if is_tensor(old):
            kept = _survives(emitter, op, old)
            emitter.memrefs[old] = result if kept else _copied(emitter, result, old)
        else:
            emitter.replace(old, result)
    return True


def _handed_over(emitter: Emitter, call: func.CallOp, index: int, *, written: bool) -> SSAValue:
    """The memref of an operand; a copy where the callee may write what somebody else reads."""
    value = call.operands[index]
    source = emitter.memref_of(value)
    if not is_dense(cast(Memref, source.type)):
        return _copied(emitter, source, value)
    if not written or emitter.placement.uniforms.of(value) is not None:
        return source
    root = emitter.placement.root(value)
    place = emitter.placement.places.get(root)
    storage = None if place is None else place.storage.resolve()
    # What was made before a loop is read by its next iteration as well.
    shared = storage is None or not storage.writable or storage.block is not call.parent
    uses = emitter.liveness.content(root).uses
    position = emitter.liveness.position[call]
    if shared or sum(use.position >= position for use in uses) > 1:
        return _copied(emitter, source, value)
    return source


def _survives(emitter: Emitter, call: func.CallOp, result: SSAValue) -> bool:
    """Tell whether what a callee returns is read for the last time before the next call."""
    liveness = emitter.liveness
    if call.parent is not emitter.placement.function.body.blocks[0]:
        return False
    position, end = liveness.position[call], liveness.content(result).end
    next_call = bisect_right(liveness.calls, position)
    return next_call == len(liveness.calls) or end < liveness.calls[next_call]


def _returned(emitter: Emitter, value: SSAValue) -> SSAValue:
    source = emitter.memref_of(value)
    if isinstance(source.owner, memref.GetGlobalOp) or not is_dense(cast(Memref, source.type)):
        return _copied(emitter, source, value)
    return source


def _copied(emitter: Emitter, source: SSAValue, value: SSAValue) -> SSAValue:
    copy = emitter.new_buffer(dense_memref(cast(Tensor, value.type), emitter.placement.space))
    emitter.copy(source, copy)
    return copy
