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
    if uniform is not None and set(slice.strides) <= {1} and not op.offsets:
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
    """Slices without overlap that are all of `shape` except the interior, which has stride 1."""
    rank = len(shape)
    offsets = [0] * rank
    sizes = list(shape)
    for dimension in range(rank):
        start = interior.offsets[dimension]
        assert isinstance(start, int)
        stop = start + interior.sizes[dimension]
        for begin, end in ((0, start), (stop, shape[dimension])):
            part = (*sizes[:dimension], end - begin, *sizes[dimension + 1 :])
            if 0 not in part:
                at = (*offsets[:dimension], begin, *offsets[dimension + 1 :])
                yield Slice(at, part, (1,) * rank, tuple(range(rank)))
        offsets[dimension], sizes[dimension] = start, stop - start
