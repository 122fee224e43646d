"""`linalg.broadcast` and `linalg.reduce`, which are no structured operations in xDSL."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.structured import (
    cuttable_loops,
    may_run_again,
    shift_indices,
)
from xdsl_memplan.dialects.tiling_models.tile_values import (
    empty,
    is_remade,
    operand_of,
    rebuilt,
    remake,
    static_shape,
    tile_type,
)
from xdsl_memplan.model.split_graph import Affine, Index


@dataclass(frozen=True)
class BroadcastTiling(TilingTrait):
    """`linalg.broadcast`: the loops are the dimensions of the result."""

    def rule(self, op: Operation) -> TilingRule | None:
        """The input has the loops that are not in `dimensions`."""
        assert isinstance(op, linalg_ops.BroadcastOp)
        shape = static_shape(op.results[0]) if op.results else None
        if shape is None:
            return None
        added = set(op.dimensions.get_values())
        indices = tuple(Index(((d, 1),)) for d in range(len(shape)) if d not in added)
        return TilingRule(
            shape,
            ("parallel",) * len(shape),
            tuple(range(len(shape))),
            (Read(op.operands[0], Affine(indices)),),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Build it on tiles."""
        type_ = tile_type(op.operands[1].type, [loop.size for loop in tile.loops])
        destination = empty(type_, builder)
        operands = [operand_of(tile.operands[0]), destination]
        return builder.insert(rebuilt(op, operands, [type_])).results


@dataclass(frozen=True)
class ReduceTiling(TilingTrait):
    """`linalg.reduce`: the loops are the dimensions of the input."""

    def rule(self, op: Operation) -> TilingRule | None:
        """The output has the loops that are not in `dimensions`, and is accumulated into."""
        assert isinstance(op, linalg_ops.ReduceOp)
        shape = static_shape(op.operands[0])
        if shape is None or not op.results or not may_run_again(op):
            return None
        reduced = set(op.dimensions.get_values())
        kept = tuple(d for d in range(len(shape)) if d not in reduced)
        reads = [Read(op.operands[0], Affine(tuple(Index(((d, 1),)) for d in range(len(shape)))))]
        if not is_remade(op.operands[1]):
            reads.append(Read(op.operands[1], Affine(tuple(Index(((d, 1),)) for d in kept))))
        return TilingRule(
            shape,
            tuple("reduction" if d in reduced else "parallel" for d in range(len(shape))),
            kept,
            tuple(reads),
            cuttable=cuttable_loops(op.region.block, 1, [d for d in reduced if shape[d] > 1]),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Build it on tiles."""
        assert isinstance(op, linalg_ops.ReduceOp)
        reduced = set(op.dimensions.get_values())
        shape = [loop.size for d, loop in enumerate(tile.loops) if d not in reduced]
        if tile.destinations is not None:
            (destination,) = tile.destinations
        elif is_remade(op.operands[1]):
            destination = remake(op.operands[1], shape, builder)
        else:
            destination = operand_of(tile.operands[1])
        type_ = tile_type(op.operands[1].type, shape)
        result = rebuilt(op, [operand_of(tile.operands[0]), destination], [type_])
        shift_indices(result, tile.loops)
        return builder.insert(result).results
