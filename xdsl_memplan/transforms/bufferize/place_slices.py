"""Places for operations that assemble a tensor from parts: pad, concat, insert_slice."""

from dataclasses import replace
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, OpResult, SSAValue

from xdsl_memplan.analysis.memref_layout import Tensor
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.place import Place, Slice
from xdsl_memplan.transforms.bufferize.placement import Placement
from xdsl_memplan.transforms.bufferize.tensor_views import slice_of, viewed


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor."""
    return cast(Tensor, value.type).get_shape()


def pad_interior(op: tensor.PadOp) -> Slice:
    """The slice of the padded tensor that the source fills."""
    low, high = op.static_low.get_values(), op.static_high.get_values()
    if DYNAMIC_INDEX in low or DYNAMIC_INDEX in high:
        raise cannot_bufferize(
            op, "padding must be static (memplan-generalize-ops writes constants in the operation)"
        )
    if min((*low, *high), default=0) < 0:
        raise cannot_bufferize(op, "negative padding")
    sizes = shape_of(op.source)
    return Slice(tuple(low), sizes, (1,) * len(sizes), tuple(range(len(sizes))))


def pad_value(op: tensor.PadOp) -> SSAValue:
    """The scalar that a pad writes around its source."""
    block = op.region.block
    terminator = block.last_op
    assert terminator is not None
    value = terminator.operands[0]
    if value.owner is block or (isinstance(value, OpResult) and value.op.parent is block):
        if isinstance(value, OpResult) and not value.op.operands and not value.op.regions:
            return value
        raise cannot_bufferize(op, "the padding value is not the same everywhere")
    return value


def concat_slices(op: tensor.ConcatOp) -> list[Slice]:
    """The slice of the result that each operand fills."""
    axis = op.dim.value.data
    rank = len(shape_of(op.result))
    slices: list[Slice] = []
    start = 0
    for operand in op.inputs:
        sizes = shape_of(operand)
        offsets = tuple(start if d == axis else 0 for d in range(rank))
        slices.append(Slice(offsets, sizes, (1,) * rank, tuple(range(rank))))
        start += sizes[axis]
    return slices


def place_pad(placement: Placement, op: Operation) -> None:
    """Offer the interior to the source; the border is filled by the pad itself."""
    assert isinstance(op, tensor.PadOp)
    pad_value(op)
    interior = placement.result_place(op.result).view(pad_interior(op))
    if interior is not None:
        placement.offer_slice(op.source, interior, op, 0)


def place_concat(placement: Placement, op: Operation) -> None:
    """Offer each operand its slice."""
    assert isinstance(op, tensor.ConcatOp)
    place = placement.result_place(op.result)
    for index, (operand, slice) in enumerate(zip(op.inputs, concat_slices(op), strict=True)):
        part = place.view(slice)
        if part is not None:
            placement.offer_slice(operand, part, op, index)


def place_insert_slice(placement: Placement, op: Operation) -> None:
    """Offer the whole place to the destination, and the slice to the source.

    In the slice the source meets the old contents of the destination: it may only be written when
    nothing reads them any more.
    """
    assert isinstance(op, tensor.InsertSliceOp)
    slice = _slice_of(placement, op)
    place = placement.result_place(op.result)
    reads = placement.liveness.reads(op)
    if not (reads[1] and placement.uniforms.of(op.dest) is None and not _is_empty(op.dest)):
        part = _part(placement, op, slice, place)
        # A fill cannot go around a slice at a place that is not known: no offer.
        if part is not None and (_is_empty(op.dest) or not op.offsets):
            placement.offer_slice(op.source, part, op, 0)
        return
    root = placement.root(op.dest)
    taken = placement.offer_storage(op.dest, place, op)
    at_destination = placement.place_of(op.dest)
    if not taken and not (at_destination is not None and at_destination.same_bytes(place)):
        return
    others = tuple(entry for entry in place.occupants if entry[0] is not root)
    part = _part(placement, op, slice, replace(place, occupants=others))
    if part is not None:
        part = part.occupied(root, _last_access(placement, op, root, slice))
        if placement.offer_slice(op.source, part, op, 0):
            placement.note_early(root, part)


def _part(
    placement: Placement, op: tensor.InsertSliceOp, slice: Slice, place: Place
) -> Place | None:
    """The slice of the place, free only when its offsets are known."""
    part = place.view(slice)
    known = -1
    for offset in op.offsets:
        if isinstance(offset, OpResult) and offset.op.parent is op.parent:
            known = max(known, placement.liveness.position.get(offset.op, -1) + 1)
    return None if part is None else replace(part, known_from=max(part.known_from, known))


def _last_access(
    placement: Placement, op: tensor.InsertSliceOp, root: SSAValue, slice: Slice
) -> int:
    """Position of the last access to the slice of the destination before the insertion.

    If the destination is a chain of insertions into slices that do not overlap, what is written
    into the slice before is what the chain starts with.
    """
    liveness = placement.liveness
    value = root
    for _ in range(_LONGEST_CHAIN):
        if _is_empty(value):
            return -1
        owner = value.owner
        if (
            not isinstance(owner, tensor.InsertSliceOp)
            or len(liveness.content(value).uses) > 1
            or not slice.is_apart(_slice_of(placement, owner))
        ):
            break
        dest = owner.operands[1]  # By number: the name takes ten times as long.
        if placement.uniforms.of(dest) is not None:
            return liveness.position[owner]
        value = dest
    owner = root.owner
    defined = liveness.position.get(owner, -1) if isinstance(owner, Operation) else -1
    others = (u for u in liveness.content(root).uses if not (u.op is op and u.index == 1))
    return max((use.position for use in others), default=defined)


_LONGEST_CHAIN = 64


def _slice_of(placement: Placement, op: tensor.InsertSliceOp) -> Slice:
    """The slice that is inserted into; the answer is kept, as chains ask again and again."""
    known = placement.liveness.slices.get(op)
    if known is None:
        known = placement.liveness.slices[op] = slice_of(op, shape_of(op.source))
    return known


def _is_empty(value: SSAValue) -> bool:
    while isinstance(value, OpResult) and (source := viewed(value.op)) is not None:
        value = source
    return isinstance(value.owner, tensor.EmptyOp)
