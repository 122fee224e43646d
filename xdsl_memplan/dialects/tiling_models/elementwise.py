"""Scalar operations of arith and math on whole tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait, has_contents
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import (
    operand_of,
    rebuilt,
    static_shape,
    tile_type,
)
from xdsl_memplan.model.split_graph import Affine, Index


@dataclass(frozen=True)
class ElementwiseTiling(TilingTrait):
    """Every tensor has the shape of the result; an operand that is a scalar stays."""

    def rule(self, op: Operation) -> TilingRule | None:
        """The loops are the dimensions."""
        shape = static_shape(op.results[0])
        if shape is None:
            return None
        same = Affine(tuple(Index(((d, 1),)) for d in range(len(shape))))
        reads = [Read(operand, same) for operand in op.operands if has_contents(operand.type)]
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            tuple(range(len(shape))),
            tuple(reads),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Build it on tiles."""
        given = iter(tile.operands)
        operands = [
            operand_of(next(given)) if has_contents(operand.type) else operand
            for operand in op.operands
        ]
        type_ = tile_type(op.results[0].type, [loop.size for loop in tile.loops])
        return builder.insert(rebuilt(op, operands, [type_])).results
