"""Emission of moves: copies of whole tensors and of regions, between memories or inside of one."""

from xdsl.dialects import tensor
from xdsl.ir import Operation

from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.place_slices import shape_of
from xdsl_memplan.transforms.bufferize.tensor_views import slice_of


def emit_move(emitter: Emitter, op: Operation) -> bool:
    """Copy to the other memory."""
    assert isinstance(op, SpillOp | RetrieveOp)
    place = emitter.placement.places[op.result]
    emitter.memrefs[op.result] = emitter.put(op.source, place)
    return True


def emit_region_copy(emitter: Emitter, op: Operation) -> bool:
    """Copy a region to the place of the result."""
    assert isinstance(op, LoadOp | CarryOp)
    if emitter.placement.uniforms.of(op.result) is not None:
        return True
    target = emitter.at(emitter.placement.places[op.result], op.result.name_hint)
    emitter.memrefs[op.result] = target
    if not isinstance(emitter.placement.root(op.source).owner, tensor.EmptyOp):
        region = slice_of(op, shape_of(op.result))
        source = emitter.view(emitter.memref_of(op.source), region)
        emitter.copy(source, target, moves=isinstance(op, LoadOp))
    return True


def emit_store(emitter: Emitter, op: Operation) -> bool:
    """Copy the source to its region of the destination, which is in place or is copied first."""
    assert isinstance(op, StoreOp)
    place = emitter.placement.places[op.result]
    emitter.memrefs[op.result] = emitter.put(op.destination, place)
    region = place.view(slice_of(op, shape_of(op.source)))
    assert region is not None
    emitter.put(op.source, region, moves=True)
    return True
