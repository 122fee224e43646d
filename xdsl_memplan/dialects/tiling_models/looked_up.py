"""Tables that a body looks up near a sum of loops: where, as an attribute of the operation."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.dialects.interfaces import has_contents
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling import LoopRange
from xdsl_memplan.dialects.tiling_models.tile_values import (
    index_constant,
    index_value,
    shape_of,
)
from xdsl_memplan.model.split_graph import Affine, Index, Indirect, operand_start

LOOKED_UP = "memplan.looked_up"
"""Attribute of an operation: for each table what is looked up for which loops, or nothing.

Five numbers per dimension of the table: a loop (-1 for none), what it is multiplied by, the
constant, the divisor and the reach of an `Index`. `memplan-form-layers` writes it.
"""


def tables(op: Operation) -> Iterator[SSAValue]:
    """Iterate over the tensors from outside that operations in the body look up, each once."""
    seen: set[SSAValue] = set()
    for inner in operations_in(op)[1:]:
        for value in inner.operands:
            if not has_contents(value.type) or value in seen or op.is_ancestor(value.owner):
                continue
            seen.add(value)
            yield value


def table_accesses(op: Operation) -> list[Affine | Indirect]:
    """For each of the `tables` which elements are looked up; all, where the attribute is none."""
    return [access for _, access in tables_with_accesses(op)]


def tables_with_accesses(op: Operation) -> list[tuple[SSAValue, Affine | Indirect]]:
    """The `tables`, each with what is looked up of it."""
    noted = op.attributes.get(LOOKED_UP)
    found = list(tables(op))
    entries = cast("ArrayAttr[Attribute]", noted).data if isinstance(noted, ArrayAttr) else ()
    if len(entries) != len(found):
        return [(table, Indirect()) for table in found]
    return [
        (table, _access(entry, shape_of(table)))
        for entry, table in zip(entries, found, strict=True)
    ]


def note_table_accesses(op: Operation, accesses: Iterable[Affine | Indirect]) -> None:
    """Write the attribute that `table_accesses` reads."""
    found = list(accesses)
    op.attributes.pop(LOOKED_UP, None)
    if any(isinstance(access, Affine) for access in found):
        op.attributes[LOOKED_UP] = ArrayAttr(map(_written, found))


def _access(entry: Attribute, shape: Sequence[int]) -> Affine | Indirect:
    numbers = [*map(int, entry.get_values())] if isinstance(entry, DenseArrayBase) else []
    if len(numbers) != 5 * len(shape):
        return Indirect()
    indices: list[Index] = []
    for loop, factor, constant, divisor, reach in zip(*[iter(numbers)] * 5, strict=True):
        if divisor < 1 or reach < 0 or (loop >= 0 and factor < 1):
            return Indirect()
        indices.append(Index(((loop, factor),) if loop >= 0 else (), constant, divisor, reach))
    return Affine(tuple(indices))


def _written(access: Affine | Indirect) -> DenseArrayBase:
    numbers: list[int] = []
    for index in access.indices if isinstance(access, Affine) else ():
        [(loop, factor)] = index.terms or ((-1, 0),)
        numbers += [loop, factor, index.constant, index.divisor, index.reach]
    return DenseArrayBase.from_list(i64, numbers)


def look_up_in_tiles(
    op: Operation,
    found: Sequence[tuple[SSAValue, Affine | Indirect, SSAValue]],
    loops: Sequence[LoopRange],
    builder: Builder,
) -> None:
    """Let a body look up tiles of tables: each with how it was read, and its tile.

    Indices are those in the whole table; where the tile starts is taken away.
    """
    op.attributes.pop(LOOKED_UP, None)
    if not found:
        return
    tiles = {table: (access, tile) for table, access, tile in found}
    for inner in operations_in(op)[1:]:
        for position, value in enumerate(inner.operands):
            if value in tiles:
                access, tile = tiles[value]
                inner.operands[position] = tile
                if isinstance(access, Affine):
                    assert isinstance(inner, tensor.ExtractOp)
                    _move(inner, access, loops, builder)


def _move(
    extract: tensor.ExtractOp, access: Affine, loops: Sequence[LoopRange], builder: Builder
) -> None:
    block = extract.parent
    assert block is not None
    for dimension, index in enumerate(access.indices):
        start = _start(index, loops, builder)
        if start is None:
            continue
        if isinstance(start, int):
            constant = index_constant(start)
            block.insert_op_before(constant, extract)
            start = constant.result
        moved = arith.SubiOp(extract.indices[dimension], start)
        block.insert_op_before(moved, extract)
        extract.operands[1 + dimension] = moved.result


def _start(index: Index, loops: Sequence[LoopRange], builder: Builder) -> SSAValue | int | None:
    """Where the tile of a table starts in one dimension; None for its first element."""
    first = operand_start(index, [(loop.start, loop.start + loop.size) for loop in loops])
    for number, factor in index.terms:
        loop = loops[number]
        if loop.dynamic_start is None:
            continue
        # Tiles that look alike start a multiple of the divisor apart.
        distance = _insert(
            builder, arith.SubiOp(loop.dynamic_start, index_value(loop.start, builder))
        )
        if factor != 1:
            distance = _insert(builder, arith.MuliOp(distance, index_value(factor, builder)))
        if index.divisor != 1:
            distance = _insert(
                builder, arith.DivSIOp(distance, index_value(index.divisor, builder))
            )
        return _insert(builder, arith.AddiOp(distance, index_value(first, builder)))
    return first or None


def _insert(builder: Builder, op: Operation) -> SSAValue:
    return builder.insert(op).results[0]
