"""Tensors in another shape: collapse_shape, expand_shape, and casts between static types."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import (
    box_shape,
    operand_of,
    shape_of,
    sliced,
    static_shape,
    tile_type,
)
from xdsl_memplan.model.split_graph import (
    Affine,
    Index,
    Reshape,
    reshape_operand_box,
    reshaped_box,
)


@dataclass(frozen=True)
class ReshapeTiling(TilingTrait):
    """`tensor.collapse_shape` and `tensor.expand_shape`.

    A tile reshapes the least run of whole rows around it, and takes a slice of that. In a loop the
    slice must be at the same place of every run, but where the run holds all of a dimension.
    """

    def rule(self, op: Operation) -> TilingRule | None:
        """The loops are the dimensions of the result."""
        assert isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp)
        source, shape = static_shape(op.operands[0]), static_shape(op.results[0])
        if source is None or shape is None:
            return None
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            tuple(range(len(shape))),
            (Read(op.operands[0], Reshape(_groups(op))),),
            view=True,
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Reshape the operand's tile, then take a slice if that is more than the tile."""
        assert isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp)
        source = operand_of(tile.operands[0])
        groups, shape = _groups(op), shape_of(op.results[0])
        source_shape = shape_of(op.operands[0])
        read = reshape_operand_box(groups, tile.box, shape, source_shape)
        around = reshaped_box(groups, read, source_shape, shape)
        type_ = tile_type(op.results[0].type, box_shape(around))
        if isinstance(op, tensor.CollapseShapeOp):
            reshaped = tensor.CollapseShapeOp.build(
                operands=[source],
                properties={"reassociation": op.reassociation},
                result_types=[type_],
            )
        else:
            reshaped = tensor.ExpandShapeOp(
                source, (), op.reassociation, [*box_shape(around)], type_
            )
        value = builder.insert(reshaped).results[0]
        offsets = [
            loop.dynamic_start
            if loop.dynamic_start is not None and outer == (0, extent)
            else loop.start - outer[0]
            for loop, outer, extent in zip(tile.loops, around, shape, strict=True)
        ]
        sizes = box_shape(tile.box)
        return (sliced(value, offsets, sizes, (1,) * len(sizes), sizes, builder),)


@dataclass(frozen=True)
class CastTiling(TilingTrait):
    """`tensor.cast` between types of one static shape."""

    def rule(self, op: Operation) -> TilingRule | None:
        """The loops are the dimensions."""
        shape = static_shape(op.results[0])
        if shape is None or shape != static_shape(op.operands[0]):
            return None
        same = Affine(tuple(Index(((d, 1),)) for d in range(len(shape))))
        dims = tuple(range(len(shape)))
        reads = (Read(op.operands[0], same),)
        return TilingRule(shape, ("parallel",) * len(shape), dims, reads, view=True)

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Return the operand, cast if the types differ."""
        source = operand_of(tile.operands[0])
        type_ = tile_type(op.results[0].type, shape_of(source))
        if type_ == source.type:
            return (source,)
        return builder.insert(tensor.CastOp(source, type_)).results


def _groups(
    op: tensor.CollapseShapeOp | tensor.ExpandShapeOp,
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Pairs of dimensions of the result and of the operand."""
    many = [
        tuple(dimension.value.data for dimension in group.data) for group in op.reassociation.data
    ]
    if isinstance(op, tensor.CollapseShapeOp):
        return tuple(((i,), group) for i, group in enumerate(many))
    return tuple((group, (i,)) for i, group in enumerate(many))
