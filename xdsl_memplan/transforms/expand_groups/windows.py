"""Parts of tensors that are at hand while a tile is computed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, i64
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Attribute, SSAValue

from xdsl_memplan.dialects.number_arrays import insertion_segments, numbers, slice_segments
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of, tile_type
from xdsl_memplan.model.split_graph import Box
from xdsl_memplan.transforms.expand_groups.axes import Place, Position

BoxAt = Callable[[Position], Box]


@dataclass(frozen=True)
class Window:
    """A box of a tensor as a value: where it starts in each tile, and how large it is."""

    value: SSAValue
    starts: Callable[[Position], tuple[int, ...]]

    def take(self, place: Place, box: BoxAt) -> SSAValue:
        """The part of the tensor in a box, which lies inside; a view, or all of it."""
        now = box(place.position)
        sizes = [stop - start for start, stop in now]
        offsets = self.offsets(place, box)
        if tuple(sizes) == shape_of(self.value):
            return self.value
        type_ = tile_type(self.value.type, sizes)
        return place.builder.insert(_slice(self.value, offsets, sizes, type_)).result

    def carry(self, place: Place, box: BoxAt, before: SSAValue | None) -> SSAValue:
        """A copy of the part in a box, good for the next tile, in the room of the one `before`."""
        sizes = [stop - start for start, stop in box(place.position)]
        over = None if before is None or shape_of(before) != tuple(sizes) else before
        copy = CarryOp(self.value, self.offsets(place, box), sizes, over)
        return place.builder.insert(copy).result

    def load(self, place: Place, box: BoxAt) -> SSAValue:
        """The part in a box, copied from off chip."""
        sizes = [stop - start for start, stop in box(place.position)]
        return place.builder.insert(LoadOp(self.value, self.offsets(place, box), sizes)).result

    def offsets(self, place: Place, box: BoxAt) -> list[int | SSAValue]:
        """Where a box starts in this window, per dimension."""

        def at(position: Position) -> list[int]:
            return [start for start, _ in box(position)]

        found = zip(*place.indices_of(at, self.starts), strict=True)
        return [number if value is None else value for number, value in found]


def _slice(
    value: SSAValue, offsets: Sequence[int | SSAValue], sizes: Sequence[int], type_: Attribute
) -> tensor.ExtractSliceOp:
    static, dynamic = split_dynamic_index_list(offsets, DYNAMIC_INDEX)
    return tensor.ExtractSliceOp.create(
        operands=[value, *dynamic],
        result_types=[type_],
        properties={
            **_region(static, sizes),
            "operandSegmentSizes": slice_segments(len(dynamic)),
        },
    )


def _region(offsets: Sequence[int], sizes: Sequence[int]) -> dict[str, Attribute]:
    return {
        "static_offsets": numbers(offsets),
        "static_sizes": numbers(sizes),
        "static_strides": numbers([1] * len(sizes)),
    }


def whole_window(value: SSAValue) -> Window:
    """All of a tensor."""
    zeros = (0,) * len(shape_of(value))
    return Window(value, lambda _: zeros)


def inserted(
    part: SSAValue, target: SSAValue, offsets: Sequence[int | SSAValue], place: Place
) -> SSAValue:
    """A tensor with a part of it replaced."""
    static, dynamic = split_dynamic_index_list(offsets, DYNAMIC_INDEX)
    sizes = shape_of(part)
    insert = tensor.InsertSliceOp.create(
        operands=[part, target, *dynamic],
        result_types=[target.type],
        properties={
            **_region(static, sizes),
            "operandSegmentSizes": insertion_segments(len(dynamic)),
        },
    )
    return place.builder.insert(insert).result


def concatenated(parts: Sequence[SSAValue], dimension: int, place: Place) -> SSAValue:
    """One tensor after the other along a dimension."""
    if len(parts) == 1:
        return parts[0]
    shape = list(shape_of(parts[0]))
    shape[dimension] = sum(shape_of(part)[dimension] for part in parts)
    type_ = tile_type(parts[0].type, shape)
    concat = tensor.ConcatOp.create(
        operands=list(parts),
        result_types=[type_],
        properties={"dim": IntegerAttr(dimension, i64)},
    )
    return place.builder.insert(concat).results[0]
