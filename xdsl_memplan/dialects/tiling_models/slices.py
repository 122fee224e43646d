"""`tensor.extract_slice` and `tensor.insert_slice` with offsets and steps that are known."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import (
    is_remade,
    operand_of,
    remake,
    shape_of,
    sliced,
    static_shape,
)
from xdsl_memplan.model.split_graph import Affine, Index

Slice = tensor.ExtractSliceOp | tensor.InsertSliceOp


@dataclass(frozen=True)
class ExtractSliceTiling(TilingTrait):
    """`tensor.extract_slice`: the loops are the dimensions of the result."""

    def rule(self, op: Operation) -> TilingRule | None:
        """Indices are offset + step * loop; a dimension that is dropped stays at its offset."""
        assert isinstance(op, tensor.ExtractSliceOp)
        shape = static_shape(op.results[0])
        kept = None if shape is None else _kept_dimensions(op, shape)
        if shape is None or kept is None or static_shape(op.operands[0]) is None:
            return None
        indices = tuple(
            Index((), offset) if loop is None else Index(((loop, stride),), offset)
            for loop, offset, stride in zip(
                kept, op.static_offsets.get_values(), op.static_strides.get_values(), strict=True
            )
        )
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            tuple(range(len(shape))),
            (Read(op.operands[0], Affine(indices)),),
            view=True,
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Return the operand's tile, or what steps and dropped dimensions leave of it."""
        assert isinstance(op, tensor.ExtractSliceOp)
        shape = [loop.size for loop in tile.loops]
        kept = _kept_dimensions(op, shape_of(op.results[0]))
        assert kept is not None
        sizes = [1 if loop is None else shape[loop] for loop in kept]
        strides = [
            1 if size == 1 else stride
            for size, stride in zip(sizes, op.static_strides.get_values(), strict=True)
        ]
        source = operand_of(tile.operands[0])
        return (sliced(source, [0] * len(sizes), sizes, strides, shape, builder),)


@dataclass(frozen=True)
class InsertSliceTiling(TilingTrait):
    """`tensor.insert_slice`: the loops are the dimensions of the result."""

    def rule(self, op: Operation) -> TilingRule | None:
        """The source has elements at every step from the offset, the destination everywhere."""
        assert isinstance(op, tensor.InsertSliceOp)
        shape, source = static_shape(op.results[0]), static_shape(op.operands[0])
        kept = None if source is None else _kept_dimensions(op, source)
        if shape is None or kept is None:
            return None
        offsets, strides = op.static_offsets.get_values(), op.static_strides.get_values()
        indices = tuple(
            Index(((dimension, 1),), -offsets[dimension], strides[dimension])
            for dimension, position in enumerate(kept)
            if position is not None
        )
        if any(
            position is None and (offset, extent) != (0, 1)
            for position, offset, extent in zip(kept, offsets, shape, strict=True)
        ):
            # Whether a tile holds the one index of a dropped dimension is no box of the source.
            return None
        reads = [Read(op.operands[0], Affine(indices))]
        dims = tuple(range(len(shape)))
        if not is_remade(op.operands[1]):
            reads.append(Read(op.operands[1], Affine(tuple(Index(((d, 1),)) for d in dims))))
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            dims,
            tuple(reads),
            parts=(0,),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Insert what falls into the tile; nothing may, or the whole tile."""
        assert isinstance(op, tensor.InsertSliceOp)
        shape = [loop.size for loop in tile.loops]
        source = tile.operands[0]
        if source is not None and shape_of(source) == tuple(shape):
            return (source,)
        if is_remade(op.operands[1]):
            destination = remake(op.operands[1], shape, builder)
        else:
            destination = operand_of(tile.operands[1])
        if source is None:
            return (destination,)
        kept = _kept_dimensions(op, shape_of(op.operands[0]))
        assert kept is not None
        strides = op.static_strides.get_values()
        offsets: list[int] = []
        for loop, offset, stride in zip(
            tile.loops, op.static_offsets.get_values(), strides, strict=True
        ):
            first = max(0, -(-(loop.start - offset) // stride))
            offsets.append(offset + first * stride - loop.start)
        sizes = [1 if position is None else shape_of(source)[position] for position in kept]
        inserted = tensor.InsertSliceOp.from_static_parameters(
            source, destination, offsets, sizes, [*strides]
        )
        return builder.insert(inserted).results


def _kept_dimensions(op: Slice, shape: Sequence[int]) -> list[int | None] | None:
    """Give each dimension of a slice its place in the type without some ones.

    Returns None if an offset, size or step is an operand. Of several ones the later are kept, as
    neighbours of size 1 are the same either way.
    """
    sizes = op.static_sizes.get_values()
    numbers = (*op.static_offsets.get_values(), *sizes, *op.static_strides.get_values())
    if DYNAMIC_INDEX in numbers or 0 in sizes:
        return None
    kept: list[int | None] = []
    position = len(shape) - 1
    for size in reversed(sizes):
        if position >= 0 and shape[position] == size:
            kept.append(position)
            position -= 1
        else:
            kept.append(None)
    return kept[::-1] if position < 0 else None
