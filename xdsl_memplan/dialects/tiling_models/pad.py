"""`tensor.pad` with padding that is known and of one value."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import (
    filled,
    shape_of,
    static_shape,
    tile_type,
)
from xdsl_memplan.model.split_graph import Affine, Index


@dataclass(frozen=True)
class PadTiling(TilingTrait):
    """A tile has the padding that lies in it, and none if none does."""

    def rule(self, op: Operation) -> TilingRule | None:
        """Shift by the low padding; what is outside of the operand is not read."""
        assert isinstance(op, tensor.PadOp)
        shape = static_shape(op.results[0])
        low, high = op.static_low.get_values(), op.static_high.get_values()
        if shape is None or DYNAMIC_INDEX in (*low, *high) or static_shape(op.operands[0]) is None:
            return None
        if _padding(op) is None:
            return None
        indices = tuple(Index(((d, 1),), -amount) for d, amount in enumerate(low))
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            tuple(range(len(shape))),
            (Read(op.operands[0], Affine(indices)),),
            parts=(0,),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Pad the operand's tile."""
        assert isinstance(op, tensor.PadOp)
        shape = [loop.size for loop in tile.loops]
        type_ = tile_type(op.results[0].type, shape)
        padding = _padding(op)
        assert padding is not None
        (source,) = tile.operands
        if source is None:
            return (filled(padding, type_, builder),)
        inner = shape_of(source)
        if inner == tuple(shape):
            return (source,)
        amounts = zip(op.static_low.get_values(), tile.loops, strict=True)
        low = [max(0, amount - loop.start) for amount, loop in amounts]
        high = [
            size - before - middle for size, before, middle in zip(shape, low, inner, strict=True)
        ]
        padded = tensor.PadOp(
            source, (), (), op.region.clone(), low, high, type_, op.nofold, dict(op.attributes)
        )
        return builder.insert(padded).results


def _padding(op: tensor.PadOp) -> SSAValue | None:
    """Return the value of the padding; None if it is computed in the body."""
    terminator = op.region.block.last_op
    if (
        terminator is None
        or len(terminator.operands) != 1
        or terminator is not (op.region.block.first_op)
    ):
        return None
    value = terminator.operands[0]
    return None if value in op.region.block.args else value
