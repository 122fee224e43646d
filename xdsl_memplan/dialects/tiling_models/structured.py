"""Structured operations of linalg: boxes follow from the indexing maps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.traits import IsTerminator

from xdsl_memplan.dialects.interfaces import Access as Effect
from xdsl_memplan.dialects.interfaces import Effects, TilingTrait, has_contents
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.queries import effects_of
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling import LoopRange, Read, Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.looked_up import look_up_in_tiles, tables_with_accesses
from xdsl_memplan.dialects.tiling_models.read_backwards import (
    slice_read,
    span_backwards,
    sums_of_loops,
)
from xdsl_memplan.dialects.tiling_models.tile_values import (
    empty,
    index_constant,
    is_remade,
    operand_of,
    rebuilt,
    remake,
    static_shape,
    tile_type,
)
from xdsl_memplan.model.split_graph import Affine, Index, Iterator

_ANY_ORDER = (
    "arith.addi",
    "arith.andi",
    "arith.maxsi",
    "arith.maxui",
    "arith.minsi",
    "arith.minui",
    "arith.muli",
    "arith.ori",
    "arith.xori",
)

_HARMLESS = ("cf.assert", "linalg.index", "tensor.extract")
"""Operations in a body that may run again, whatever xDSL says of their effects."""


@dataclass(frozen=True)
class StructuredTiling(TilingTrait):
    """Every operation with indexing maps: contractions, poolings, elementwise, reductions, ...

    Maps must be sums of loops; where one goes backwards (a negative factor) every tile needs all
    that it reaches. The maps of results that somebody uses must be the same permutation of the
    parallel loops.
    """

    def rule(self, op: Operation) -> TilingRule | None:
        """Derive the rule from maps, iterators and body."""
        assert isinstance(op, LinalgStructuredOperation)
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        loops = _loop_extents(op, maps)
        effects = effects_of(op)
        if loops is None or effects is None or not op.results or not may_run_again(op):
            return None
        is_parallel = [t.data is IteratorType.PARALLEL for t in op.get_iterator_types()]
        result_access = _result_access(op, maps, loops, is_parallel)
        if result_access is None:
            return None
        accesses = [affine_access(map_, loops) for map_ in maps]
        reads: list[Read] = []
        for position in _positions_read(op, effects):
            operand, access = op.operands[position], accesses[position]
            if access is None:
                return None
            reads.append(Read(operand, access))
        if any(access is None for access in accesses):
            return None
        reads += [Read(table, access) for table, access in tables_with_accesses(op)]
        reductions = [i for i, n in enumerate(loops) if n > 1 and not is_parallel[i]]
        iterators: list[Iterator] = ["parallel" if p else "reduction" for p in is_parallel]
        if len({*maps[input_count(op) :]}) > 1:
            reductions = []  # What nobody uses is handed on too, by the one access of all results.
        return TilingRule(
            loops,
            tuple(iterators),
            result_access,
            tuple(reads),
            cuttable=cuttable_loops(op.regions[0].block, input_count(op), reductions),
            work_per_point=int(_is_contraction(op, maps, is_parallel)),
        )

    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Build the operation on tiles; `linalg.index` is shifted by the start of the tile."""
        assert isinstance(op, LinalgStructuredOperation)
        effects = effects_of(op)
        assert effects is not None
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        positions = _positions_read(op, effects)
        inputs = input_count(op)
        given = dict(zip(positions, tile.operands, strict=False))
        extents = _loop_extents(op, maps)
        assert extents is not None
        operands: list[SSAValue] = []
        for position, (operand, map_) in enumerate(zip(op.operands, maps, strict=True)):
            output = position - inputs
            if output >= 0 and tile.destinations is not None:
                operands.append(tile.destinations[output])
            elif position in given:
                read = operand_of(given[position])
                operands.append(slice_read(read, map_, extents, tile.loops, builder))
            elif not has_contents(operand.type):
                operands.append(operand)
            elif effects.operands[position] & Effect.READ:
                operands.append(remake(operand, _tile_shape(map_, tile), builder))
            else:
                type_ = tile_type(operand.type, _tile_shape(map_, tile))
                operands.append(empty(type_, builder))
        types = [operand.type for operand in operands[inputs:]]
        result = rebuilt(op, operands, types)
        own_maps = [_map_of_tile(map_, tile) for map_ in maps]
        if own_maps != maps:
            result.properties["indexing_maps"] = ArrayAttr(map(AffineMapAttr, own_maps))
        tiles = map(operand_of, tile.operands[len(positions) :])
        tables = zip(tables_with_accesses(op), tiles, strict=True)
        found = [(table, access, its_tile) for (table, access), its_tile in tables]
        look_up_in_tiles(result, found, tile.loops, builder)
        shift_indices(result, tile.loops)
        builder.insert(result)
        return result.results


@lru_cache(maxsize=4096)
def affine_access(map_: AffineMap, extents: tuple[int, ...]) -> Affine | None:
    """Return the indices of an indexing map as sums of loops; None if they are something else.

    ``extents`` are those of the loops: of one that goes backwards all is read.
    """
    sums = sums_of_loops(map_)
    if sums is None:
        return None
    indices: list[Index] = []
    for terms, constant in sums:
        reach = span_backwards(terms, extents)
        if constant < reach:
            return None
        forwards = tuple((loop, factor) for loop, factor in terms if factor > 0)
        indices.append(Index(forwards, constant - reach, reach=reach))
    return Affine(tuple(indices))


def shift_indices(op: Operation, loops: Sequence[LoopRange]) -> None:
    """Add the start of the tile to what `linalg.index` says in the body."""
    for inner in operations_in(op):
        if not isinstance(inner, linalg_ops.IndexOp):
            continue
        loop = loops[inner.dim.value.data]
        if loop.dynamic_start is None and loop.start == 0:
            continue
        block = inner.parent
        assert block is not None
        start = loop.dynamic_start
        added: list[Operation] = []
        if start is None:
            constant = index_constant(loop.start)
            added.append(constant)
            start = constant.result
        shifted = arith.AddiOp(inner.result, start)
        added.append(shifted)
        block.insert_ops_after(added, inner)
        inner.result.replace_uses_with_if(
            shifted.result, lambda use, shifted=shifted: use.operation is not shifted
        )


def cuttable_loops(
    body: Block, inputs: int, reductions: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return which of the reductions may be cut without a change in any bit of the result.

    The outermost one always: the parts run one after another over the same elements. Where it is
    cut into single iterations, the next one is the outermost of each. Any one alone, if every
    output only takes part in one integer operation whose order makes no difference.
    """
    terminator = body.last_op
    assert terminator is not None
    for output, value in zip(body.args[inputs:], terminator.operands, strict=True):
        is_exact = (
            value.owner in {use.operation for use in output.uses}
            and len(list(output.uses)) == 1
            and isinstance(value.owner, Operation)
            and value.owner.name in _ANY_ORDER
        )
        if not is_exact:
            ordered = sorted(reductions)
            return tuple(tuple(ordered[: end + 1]) for end in range(len(ordered)))
    return tuple((loop,) for loop in sorted(reductions))


def _loop_extents(
    op: LinalgStructuredOperation, maps: Sequence[AffineMap]
) -> tuple[int, ...] | None:
    """Return the extents of the loops; None if one is 0, or not known from a dimension."""
    extents: list[int | None] = [None] * maps[0].num_dims
    for operand, map_ in zip(op.operands, maps, strict=True):
        if not has_contents(operand.type):
            continue
        shape = static_shape(operand)
        if shape is None:
            return None
        for expression, extent in zip(map_.results, shape, strict=True):
            if isinstance(expression, AffineDimExpr):
                extents[expression.position] = extent
    known = tuple(extent for extent in extents if extent is not None)
    return known if len(known) == len(extents) else None


def _result_access(
    op: LinalgStructuredOperation,
    maps: Sequence[AffineMap],
    loops: Sequence[int],
    is_parallel: Sequence[bool],
) -> tuple[int | None, ...] | None:
    """Return the loop of each dimension of the results that are used."""
    outputs = list(zip(op.results, maps[input_count(op) :], strict=True))
    used = [(result, map_) for result, map_ in outputs if result.first_use] or outputs[:1]
    if len({map_ for _, map_ in used}) != 1:
        return None
    result, map_ = used[0]
    shape = static_shape(result)
    if shape is None:
        return None
    access: list[int | None] = []
    for expression, extent in zip(map_.results, shape, strict=True):
        match expression:
            case AffineDimExpr() if expression.position not in access:
                access.append(expression.position)
            case AffineConstantExpr(value=0) if extent == 1:
                access.append(None)
            case _:
                return None
    covered = set(access)
    for loop, (extent, parallel) in enumerate(zip(loops, is_parallel, strict=True)):
        if (parallel and extent > 1) != (loop in covered and extent > 1):
            return None
    return tuple(access)


def _positions_read(op: LinalgStructuredOperation, effects: Effects) -> list[int]:
    """List the operands whose elements count, but for outputs that can be made again."""
    inputs = input_count(op)
    return [
        position
        for position, effect in enumerate(effects.operands)
        if effect & Effect.READ and not (position >= inputs and is_remade(op.operands[position]))
    ]


def may_run_again(op: Operation) -> bool:
    """Tell whether a body may run again for an element: it computes, looks up and asserts."""
    return all(
        inner.name in _HARMLESS
        or inner.has_trait(IsTerminator, value_if_unregistered=False)
        or only_computes(inner)
        for inner in operations_in(op)[1:]
    )


def _tile_shape(map_: AffineMap, tile: Tile) -> tuple[int, ...]:
    sums = sums_of_loops(map_)
    assert sums is not None
    return tuple(
        1 + sum(abs(factor) * (tile.loops[loop].size - 1) for loop, factor in terms)
        for terms, _ in sums
    )


def _map_of_tile(map_: AffineMap, tile: Tile) -> AffineMap:
    """The map whose first index is 0: what is read of an operand begins there."""
    sums = sums_of_loops(map_)
    assert sums is not None
    sizes = [loop.size for loop in tile.loops]
    starts = [span_backwards(terms, sizes) for terms, _ in sums]
    if all(start == constant for start, (_, constant) in zip(starts, sums, strict=True)):
        return map_
    results = [
        sum(
            (AffineExpr.dimension(loop) * factor for loop, factor in terms),
            start=AffineExpr.constant(start),
        )
        for start, (terms, _) in zip(starts, sums, strict=True)
    ]
    return AffineMap(map_.num_dims, 0, tuple(results))


def _is_contraction(
    op: LinalgStructuredOperation, maps: Sequence[AffineMap], is_parallel: Sequence[bool]
) -> bool:
    """Tell whether products are summed over loops that two inputs share."""
    body = op.regions[0].block
    if not any(inner.name in ("arith.mulf", "arith.muli") for inner in body.walk()):
        return False
    reduced = [
        {loop for loop in map_.used_dims() if not is_parallel[loop]}
        for argument, map_ in zip(body.args, maps[: input_count(op)], strict=False)
        if argument.first_use is not None
    ]
    return any(a & b for i, a in enumerate(reduced) for b in reduced[:i])
