"""What a sum narrows before it adds up is an operation of its own again.

`linalg-fuse-elementwise-ops` computes elements where a contraction reads them, once for each of its
results, and keeps what they are computed from: the 32-bit sums of the layer before, where 8 bits
were read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AffineMapAttr, TensorType
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.dialects.tensor import EmptyOp, ExtractOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.purity import ARITHMETIC
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape
from xdsl_memplan.transforms.new_generic import put_in_place

_ZERO = AffineExpr.constant(0)


@dataclass(frozen=True)
class _Narrowed:
    """A scalar of a body that is computed from elements at one place of a tensor."""

    value: OpResult
    scalars: Sequence[Operation]
    """What computes it, in order; nothing else reads what they make."""
    inputs: Sequence[int]
    """The operands that it is computed from."""
    largest: int
    """The one of them that has an element for each place."""


def take_out_narrowed(op: GenericOp) -> GenericOp:
    """Replace a sum by elementwise operations and one that reads what these make, narrower.

    Before, where `%s` are 32-bit sums and `%q` computes 8 bits of one:

    ```mlir
    linalg.generic ins(%s, %w : tensor<64x8xi32>, tensor<16x8xi8>) outs(%o : tensor<64x16xi32>) {
      %q = arith.trunci %in : i32 to i8
      ...
    ```

    After, `%n = linalg.generic ins(%s : ...) -> tensor<64x8xi8>`, and the sum reads `%n`. Taken out
    is what makes fewest bytes, if they are less than those that it is computed from and that
    nothing else needs. The same scalars are computed, each once: the result is the same bit for
    bit. Of arguments and constants what is as wide stays. Returns what the sum has become, or
    ``op``.
    """
    kinds = {kind.data for kind in op.get_iterator_types()}
    if IteratorType.REDUCTION not in kinds or op.library_call is not None:
        return op
    tensors = [operand for operand in op.inputs if isinstance(operand.type, TensorType)]
    if not op.results or any(static_shape(operand) is None for operand in tensors):
        return op
    while (narrowed := _narrowest(op)) is not None:
        op = _taken_out(op, narrowed)
    return op


def _narrowest(op: GenericOp) -> _Narrowed | None:
    """Find what makes fewest bytes; of several the last one, which takes most with it."""
    found = [(_made_bytes(op, narrowed), narrowed) for narrowed in _candidates(op)]
    fewest = min((bytes_ for bytes_, _ in found), default=0)
    return next((narrowed for bytes_, narrowed in reversed(found) if bytes_ == fewest), None)


def _candidates(op: GenericOp) -> Iterator[_Narrowed]:
    for scalar in list(op.body.block.ops)[:-1]:
        if len(scalar.results) == 1:
            narrowed = _narrowed(op, scalar.results[0])
            if narrowed is not None and _is_worth_it(op, narrowed):
                yield narrowed


def _is_worth_it(op: GenericOp, narrowed: _Narrowed) -> bool:
    """Tell whether fewer bytes are read; what is given, such as weights, is fetched in any case."""
    made = _made_bytes(op, narrowed)
    largest = op.operands[narrowed.largest]
    is_given = isinstance(largest, BlockArgument) or isinstance(largest.owner, ConstantOp)
    if is_given and made >= (size_bytes(largest.type) or 0):
        return False
    return made < _freed_bytes(op, narrowed)


def _narrowed(op: GenericOp, value: OpResult) -> _Narrowed | None:
    """Describe what computes a scalar, if it depends on one place of one tensor alone."""
    block = op.body.block
    needed: set[SSAValue] = {value}
    scalars: list[Operation] = []
    for scalar in reversed(list(block.ops)):
        if any(result in needed for result in scalar.results):
            needed.update(scalar.operands)
            scalars.insert(0, scalar)
    inside = set(scalars)
    leaks = any(
        use.operation not in inside
        for scalar in scalars
        for result in scalar.results
        if result is not value
        for use in result.uses
    )
    arguments = [argument.index for argument in block.args if argument in needed]
    inputs = input_count(op)
    if leaks or not arguments or arguments[-1] >= inputs:
        return None
    maps = [attribute.data for attribute in op.indexing_maps]
    largest = max(arguments, key=lambda k: len(maps[k].results))
    places = maps[largest].results
    if len(set(places)) < len(places) or len(places) >= maps[largest].num_dims:
        return None
    shape = static_shape(op.operands[largest])
    if shape is None:
        return None
    extents = dict(zip(places, shape, strict=True))
    for k in arguments:
        for result, extent in zip(maps[k].results, static_shape(op.operands[k]) or (), strict=True):
            # What is repeated is read at 0 all along.
            if extents.get(result, 0 if result != _ZERO else extent) != extent:
                return None
    loops = op.get_static_loop_ranges()
    reads_all = all(_last(place, loops) == extent - 1 for place, extent in extents.items())
    if not all(_may_move(scalar, reads_all=reads_all) for scalar in scalars):
        return None
    return _Narrowed(value, scalars, arguments, largest)


def _own_loop(places: Sequence[AffineExpr], result: AffineExpr) -> AffineExpr:
    """Where the elementwise operation reads what the sum reads at ``result``."""
    return AffineExpr.dimension(places.index(result)) if result in places else result


def _last(place: AffineExpr, loops: Sequence[int]) -> int | None:
    """The last index of a sum of loops, which takes all before it too; None for what may not."""
    match place:
        case AffineDimExpr():
            return loops[place.position] - 1
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, right):
            ends = _last(left, loops), _last(right, loops)
            return None if ends[0] is None or ends[1] is None else ends[0] + ends[1]
        case _:
            return None


def _may_move(scalar: Operation, *, reads_all: bool) -> bool:
    """Tell whether a scalar may be computed for elements that the sum does not read, if any."""
    if scalar.name.startswith(ARITHMETIC) and not scalar.regions:
        _, _, name = scalar.name.partition(".")
        traps = name.startswith(("div", "rem", "ceildiv", "floordiv")) and not name.endswith("f")
        return reads_all or not traps
    return reads_all and isinstance(scalar, ExtractOp)


def _made_type(op: GenericOp, narrowed: _Narrowed) -> TensorType[Attribute]:
    shape = static_shape(op.operands[narrowed.largest])
    assert shape is not None
    return TensorType(narrowed.value.type, shape)


def _made_bytes(op: GenericOp, narrowed: _Narrowed) -> int:
    return size_bytes(_made_type(op, narrowed)) or 0


def _freed_bytes(op: GenericOp, narrowed: _Narrowed) -> int:
    """Bytes of the operands that nothing else of the sum needs."""
    inside = set(narrowed.scalars)
    arguments = op.body.block.args
    freed = {
        op.operands[k]
        for k in narrowed.inputs
        if all(use.operation in inside for use in arguments[k].uses)
    }
    return sum(size_bytes(operand.type) or 0 for operand in freed)


def _taken_out(op: GenericOp, narrowed: _Narrowed) -> GenericOp:
    builder = Builder(InsertPoint.before(op))
    type_ = _made_type(op, narrowed)
    room = builder.insert(EmptyOp((), type_))
    maps = [attribute.data for attribute in op.indexing_maps]
    places = maps[narrowed.largest].results
    rank = len(places)

    block, inside = op.body.block, set(narrowed.scalars)
    types = [block.args[k].type for k in narrowed.inputs]
    made = Block(arg_types=[*types, narrowed.value.type])
    narrowed.value.replace_all_uses_with(block.insert_arg(narrowed.value.type, 0))
    for k, new in zip(narrowed.inputs, made.args, strict=False):
        block.args[k + 1].replace_uses_with_if(new, lambda use: use.operation in inside)
    for scalar in narrowed.scalars:
        scalar.detach()
        made.add_op(scalar)
    made.add_op(YieldOp(narrowed.value))
    own = [
        AffineMap(rank, 0, tuple(_own_loop(places, result) for result in maps[k].results))
        for k in narrowed.inputs
    ]
    elementwise = GenericOp(
        [op.operands[k] for k in narrowed.inputs],
        [room.tensor],
        Region(made),
        [AffineMapAttr(map_) for map_ in (*own, AffineMap.identity(rank))],
        [IteratorTypeAttr.parallel()] * rank,
        [type_],
    )
    elementwise.location = op.location
    builder.insert(elementwise)

    inputs = input_count(op)
    # An operand that nothing reads may tell how long a loop is: the window of a pooling.
    gone = [k for k in narrowed.inputs if block.args[k + 1].first_use is None]
    for k in reversed(gone):
        block.erase_arg(block.args[k + 1])
    read = [k for k in range(inputs) if k not in gone]
    op.body.detach_block(block)
    left = [narrowed.largest, *read, *range(inputs, len(op.operands))]
    return put_in_place(
        op,
        block,
        ([elementwise.results[0], *(op.operands[k] for k in read)], op.operands[inputs:]),
        [op.indexing_maps.data[k] for k in left],
        range(len(op.results)),
    )
