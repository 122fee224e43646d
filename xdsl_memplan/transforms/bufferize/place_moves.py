"""Places for tensors that move between memories, whole or by regions."""

from xdsl.ir import Operation

from xdsl_memplan.analysis.memref_layout import dense_memref
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.transforms.bufferize.place import Place, Storage
from xdsl_memplan.transforms.bufferize.placement import Placement


def place_spill(placement: Placement, op: Operation) -> None:
    """The copy is in the arena that the operation names."""
    assert isinstance(op, SpillOp)
    assert op.parent is not None
    arena = placement.homes.named(op.arena.string_value())
    type = dense_memref(op.result.type, placement.spaces.get(arena))
    placement.places[op.result] = Place(Storage(type, op.parent, arena=arena), (), type)


def place_retrieve(placement: Placement, op: Operation) -> None:
    """The copy is written where it is wanted, such as the slice of a concatenation."""
    assert isinstance(op, RetrieveOp)
    placement.result_place(op.result)


def place_region_copy(placement: Placement, op: Operation) -> None:
    """The copy is written where it is wanted."""
    assert isinstance(op, LoadOp | CarryOp)
    if placement.uniforms.of(op.result) is not None:
        return
    place = placement.result_place(op.result)
    if isinstance(op, CarryOp) and op.over is not None and place.storage.block is not op.parent:
        # The bytes are a loop's, which has them all the time. Others are free in between.
        placement.offer_dead(op.over, place, op)


def place_store(placement: Placement, op: Operation) -> None:
    """Offer the place to the destination: a chain of stores has one storage."""
    assert isinstance(op, StoreOp)
    place = placement.result_place(op.result)
    placement.offer_storage(op.destination, place, op)
