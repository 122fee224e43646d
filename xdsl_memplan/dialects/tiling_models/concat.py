"""`tensor.concat`."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import rebuilt, static_shape, tile_type
from xdsl_memplan.model.split_graph import Affine, Index


@dataclass(frozen=True)
class ConcatTiling(TilingTrait):
    """A tile is made of the parts that reach into it."""

    def rule(self, op: Operation) -> TilingRule | None:
        """Each part is shifted to its place."""
        assert isinstance(op, tensor.ConcatOp)
        shape = static_shape(op.results[0])
        if shape is None:
            return None
        along = op.dim.value.data
        reads: list[Read] = []
        place = 0
        for operand in op.operands:
            part = static_shape(operand)
            if part is None:
                return None
            indices = (Index(((d, 1),), -place if d == along else 0) for d in range(len(shape)))
            reads.append(Read(operand, Affine(tuple(indices))))
            place += part[along]
        dims = tuple(range(len(shape)))
        parts = tuple(range(len(reads)))
        return TilingRule(shape, ("parallel",) * len(shape), dims, tuple(reads), parts=parts)

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Concatenate what is read; one part alone is the tile."""
        parts = [operand for operand in tile.operands if operand is not None]
        if len(parts) == 1:
            return parts
        type_ = tile_type(op.results[0].type, [loop.size for loop in tile.loops])
        return builder.insert(rebuilt(op, parts, [type_])).results
