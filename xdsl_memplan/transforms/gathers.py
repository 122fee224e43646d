"""`tensor.gather` as a generic operation that looks elements up, `tensor.scatter` as loops.

MLIR 22 has no pass that lowers either.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import scf, tensor
from xdsl.dialects.arith import IndexCastOp
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint

from xdsl_memplan.dialects.tensor_gather import GatherOp, ScatterOp, coordinates_of
from xdsl_memplan.dialects.tiling_models.tile_values import index_constant, shape_of
from xdsl_memplan.transforms.as_generic import hand_over
from xdsl_memplan.transforms.new_generic import in_parallel


def gather_as_generic(op: GatherOp) -> None:
    """Replace a gather by an operation of which each element is looked up where indices say."""
    shape, source = shape_of(op.result), shape_of(op.source)
    along = op.gather_dims.get_values()
    lists = len(coordinates_of(op.indices))
    element = op.result.type.element_type
    body = Block(arg_types=[element])
    builder = Builder(InsertPoint.at_end(body))
    loops: list[SSAValue] = [builder.insert(IndexOp(d)).result for d in range(len(shape))]
    within = loops[lists:]
    if len(within) == len(source):
        within = [loop for d, loop in enumerate(within) if d not in along]
    following = iter(within)
    place = [
        _coordinate(op.indices, loops[:lists], list(along).index(d), builder)
        if d in along
        else next(following)
        for d in range(len(source))
    ]
    found = builder.insert(tensor.ExtractOp(op.source, place, element)).result
    builder.insert(YieldOp(found))
    maps = [AffineMap.identity(len(shape))]
    made = in_parallel(Builder(InsertPoint.before(op)), (), maps, shape, element, body)
    _take_over(op, made)


def scatter_as_loops(op: ScatterOp) -> None:
    """Replace a scatter by loops over its lists of coordinates, each of which inserts one slice."""
    lists, dest = coordinates_of(op.indices), shape_of(op.dest)
    along = op.scatter_dims.get_values()
    outside = Builder(InsertPoint.before(op))
    zero, one = (outside.insert(index_constant(number)).result for number in (0, 1))
    ends = [outside.insert(index_constant(size)).result for size in lists]
    builder, carried = outside, op.dest
    made: SSAValue | None = None
    at: list[SSAValue] = []
    for end in ends:
        block = Block(arg_types=[IndexType(), op.dest.type])
        loop = scf.ForOp(zero, end, one, [carried], Region(block))
        builder.insert(loop)
        if made is None:
            made = loop.results[0]
        else:
            builder.insert(scf.YieldOp(loop.results[0]))
        at.append(block.args[0])
        builder, carried = Builder(InsertPoint.at_end(block)), block.args[1]
    inside = shape_of(op.source)[len(lists) :]
    sizes = [1 if d in along else size for d, size in enumerate(dest)]
    starts = [
        _coordinate(op.indices, at, list(along).index(d), builder) if d in along else 0
        for d in range(len(dest))
    ]
    element = cast(TensorType[Attribute], op.dest.type).element_type
    slice_ = builder.insert(
        tensor.ExtractSliceOp.build(
            operands=[op.source, at, [], []],
            result_types=[TensorType(element, inside)],
            properties=_numbers([*at, *[0] * len(inside)], [*[1] * len(at), *inside]),
        )
    ).result
    values = [start for start in starts if isinstance(start, SSAValue)]
    new = builder.insert(
        tensor.InsertSliceOp.build(
            operands=[slice_, carried, values, [], []],
            result_types=[op.dest.type],
            properties=_numbers(starts, sizes),
        )
    ).result
    if made is None:
        made = new
    else:
        builder.insert(scf.YieldOp(new))
    _take_over(op, made)


def _coordinate(
    indices: SSAValue, at: Sequence[SSAValue], which: int, builder: Builder
) -> SSAValue:
    """One coordinate of the list at a place, as an index."""
    type_ = cast(TensorType[Attribute], indices.type).element_type
    last = builder.insert(index_constant(which)).result
    found = builder.insert(tensor.ExtractOp(indices, [*at, last], type_)).result
    if isinstance(type_, IndexType):
        return found
    return builder.insert(IndexCastOp(found, IndexType())).result


def _numbers(starts: Sequence[SSAValue | int], sizes: Sequence[int]) -> dict[str, Attribute]:
    """What a slice of steps of 1 says of its offsets, sizes and steps."""
    known = [DYNAMIC_INDEX if isinstance(start, SSAValue) else start for start in starts]
    lists = {"offsets": known, "sizes": sizes, "strides": [1] * len(sizes)}
    return {f"static_{name}": DenseArrayBase.from_list(i64, of) for name, of in lists.items()}


def _take_over(op: GatherOp | ScatterOp, made: SSAValue) -> None:
    maker = made.owner
    assert not isinstance(maker, Block)
    maker.attributes |= op.attributes
    maker.location = op.location
    hand_over(op, (made,))
