"""Emission of pad, concat and insert_slice: borders are filled, parts are there or are copied."""

from collections.abc import Iterator

from xdsl.dialects import tensor
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.place import Place, Slice
from xdsl_memplan.transforms.bufferize.place_slices import (
    concat_slices,
    pad_interior,
    pad_value,
    shape_of,
)
from xdsl_memplan.transforms.bufferize.tensor_views import slice_of


def emit_pad(emitter: Emitter, op: Operation) -> bool:
    """Fill the border; the source is inside already or is copied there."""
    assert isinstance(op, tensor.PadOp)
    place = emitter.placement.places[op.result]
    value = pad_value(op)
    if isinstance(value, OpResult) and value.op.parent is op.region.block:
        clone = value.op.clone()
        emitter.insert(clone)
        value = clone.results[value.index]
    interior = pad_interior(op)
    _fill_around(emitter, value, place, interior, shape_of(op.result))
    _put_part(emitter, op, 0, place, interior)
    emitter.memrefs[op.result] = emitter.at(place, op.result.name_hint)
    return True


def emit_concat(emitter: Emitter, op: Operation) -> bool:
    """Each operand is in its slice already or is copied there."""
    assert isinstance(op, tensor.ConcatOp)
    place = emitter.placement.places[op.result]
    for index, slice in enumerate(concat_slices(op)):
        _put_part(emitter, op, index, place, slice)
    emitter.memrefs[op.result] = emitter.at(place, op.result.name_hint)
    return True


def emit_insert_slice(emitter: Emitter, op: Operation) -> bool:
    """The destination is in place or is copied, and then the slice."""
    assert isinstance(op, tensor.InsertSliceOp)
    place = emitter.placement.places[op.result]
    slice = slice_of(op, shape_of(op.source))
    uniform = emitter.placement.uniforms.of(op.dest)
    if uniform is not None and not op.offsets:
        _fill_around(emitter, uniform.scalar, place, slice, shape_of(op.result))
    else:
        emitter.put(op.dest, place)
    _put_part(emitter, op, 0, place, slice)
    emitter.memrefs[op.result] = emitter.at(place, op.result.name_hint)
    return True


def _put_part(emitter: Emitter, op: Operation, index: int, place: Place, slice: Slice) -> None:
    part = place.view(slice)
    assert part is not None
    if (op, index) not in emitter.placement.slices_taken and 0 not in slice.sizes:
        emitter.put(op.operands[index], part)


def _fill_around(
    emitter: Emitter,
    scalar: SSAValue | Attribute,
    place: Place,
    interior: Slice,
    shape: tuple[int, ...],
) -> None:
    for border in borders(interior, shape):
        part = place.view(border)
        assert part is not None
        emitter.fill(scalar, emitter.at(part))


def borders(interior: Slice, shape: tuple[int, ...]) -> Iterator[Slice]:
    """Slices without overlap that are all of `shape` except the interior, at fixed offsets.

    Per dimension: what is before, what is behind, and with a stride what is between its elements.
    """
    rank = len(shape)
    ranges = [(0, size, 1) for size in shape]
    for dimension in range(rank):
        start, size = interior.offsets[dimension], interior.sizes[dimension]
        stride = interior.strides[dimension] if size > 1 else 1
        assert isinstance(start, int)
        stop = start + (size - 1) * stride + 1
        # One element between two has stride 1, as a slice of one element has.
        step = stride if size > 2 else 1
        between = [(start + phase, size - 1, step) for phase in range(1, stride)]
        for part in ((0, start, 1), (stop, shape[dimension] - stop, 1), *between):
            ranges[dimension] = part
            if all(count for _, count, _ in ranges):
                offsets, sizes, strides = zip(*ranges, strict=True)
                yield Slice(offsets, sizes, strides, tuple(range(rank)))
        ranges[dimension] = (start, size, stride)
