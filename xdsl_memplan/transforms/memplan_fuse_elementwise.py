"""Computes elements where they are read instead of in a tensor of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation, NamedOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import BroadcastOp, FillOp, GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.analysis.storage_type import is_static_tensor, is_tensor
from xdsl_memplan.dialects.linalg_additions.elementwise import ElementwiseOp
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.transforms.as_generic import broadcast_as_generic, structured_as_generic
from xdsl_memplan.transforms.computed_parts import compute_parts
from xdsl_memplan.transforms.new_generic import put_in_place
from xdsl_memplan.transforms.unread_results import without_unread_results

_SMALL = 8
"""Inputs are small that have no more than this part of the bytes of the result."""

_NAMED = (NamedOperation, ElementwiseOp)
"""Classes of operations with a name, some of which are elementwise."""

_MOST_SCALARS = 4
"""Scalar operations at the most, for an element that is computed again."""

_LONG = 1 << 14
"""Where each element of a small tensor, such as a mean, changes fewer bytes, what it changes is on
chip for all that read it: a 16th of 256 KiB."""


@dataclass(frozen=True)
class MemplanFuseElementwisePass(ModulePass):
    """Compute elements where they are read instead of in a tensor of their own.

    Before, `%b` is a tensor as large as the result, and nothing could work in place on it:

    ```mlir
    %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%v : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#identity, #identity, #identity], ...}
        ins(%b, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %1 = arith.addf %in, %in_0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    ```

    After:

    ```mlir
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #identity, #identity], ...}
        ins(%v, %x : tensor<8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = math.exp %in : f32
      %1 = arith.addf %0, %in_0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    ```

    A producer is fused if it is an elementwise `linalg.generic` without side effects, if its only
    reader is one `linalg.generic` that reads each element once, and if it could not work in place:
    no operand of its size dies there. The same scalars are computed, so the result is the same bit
    for bit. Elementwise operations with a name (`linalg.add`) are fused like generic ones, and
    `linalg.broadcast` into what is elementwise; what is not fused keeps its name.

    Results that nobody reads are not computed, such as the place of a maximum in a softmax.

    Options:

    - `chains` (false): fuse chains that work in place as well, such as a normalization and what
      activates it, as long as no large operand has to wait for another one. Their tiles are less
      code, and there is less to plan. What only repeats small tensors, such as a mask made of a row
      and a column, is computed again by each of its readers, instead of being kept for the last. So
      is what changes a tensor that stays anyway by small ones, such as the difference to a mean.
      What changes a concatenation and is returned changes the parts instead, if nobody else reads
      them.

    Requires nothing; what has dynamic sizes is left alone.
    """

    name = "memplan-fuse-elementwise"

    chains: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse in the whole module ``op``; linear in its operations and in what is fused."""
        for inner in operations_in(op):
            consumer: LinalgStructuredOperation
            # What a library computes is no matter of the body.
            if type(inner) is GenericOp and inner.library_call is None:
                consumer = without_unread_results(inner)
            elif isinstance(inner, _NAMED) and _is_elementwise(inner):
                consumer = inner
            else:
                continue
            consumer = _fuse(consumer, self.chains)
            if self.chains and _is_elementwise(consumer):
                for part in compute_parts(consumer):
                    _fuse(part, self.chains)


def _fuse(consumer: LinalgStructuredOperation, chains: bool) -> LinalgStructuredOperation:
    """Fuse into ``consumer`` what can be; return what replaces it."""
    while (fused := _fuse_one(consumer, chains)) is not None:
        consumer = fused
    return consumer


def _fuse_one(consumer: LinalgStructuredOperation, chains: bool) -> GenericOp | None:
    """Fuse one producer into ``consumer``; return what replaces the two, or None."""
    for number in range(input_count(consumer)):
        # Asked anew: of an operand that is read twice the broadcast may be generic by now.
        operand = consumer.operands[number]
        producer = operand.owner
        if type(producer) is BroadcastOp and _repeats_for_elements(producer, consumer, chains):
            producer = broadcast_as_generic(producer)
            operand = producer.results[0]
        if not isinstance(operand, OpResult) or not isinstance(producer, (GenericOp, *_NAMED)):
            continue
        reads_once = _reads_each_element_once(consumer, operand)
        if not (reads_once or chains) or not _is_elementwise(producer):
            continue
        if not _tells_all_loops(producer, consumer, operand):
            continue
        if reads_once and (
            not _works_in_place(producer) or (chains and _waits_for_little(producer, consumer))
        ):
            return _fused(producer, consumer)
        if chains and (
            (_repeats_little(producer) and _is_read_by_elements(operand))
            or (_changes_what_stays(producer) and _is_read_element_by_element(operand))
        ):
            return _fused(_copy_for(producer, consumer), consumer)
    return None


def _repeats_for_elements(
    op: BroadcastOp, consumer: LinalgStructuredOperation, chains: bool
) -> bool:
    """Tell whether a broadcast may be fused into all its readers, which are elementwise."""
    result = op.result[0] if op.results else None
    if not isinstance(result, OpResult) or not is_static_tensor(result):
        return False
    return _is_read_by_elements(result) and (chains or _reads_each_element_once(consumer, result))


def _repeats_little(producer: LinalgStructuredOperation) -> bool:
    """Tell whether to compute an elementwise ``producer`` again costs less than to keep it."""
    made = size_bytes(producer.results[0].type)
    # A scalar is no tensor and needs nothing.
    read = [value for value in set(producer.inputs) if is_tensor(value.type)]
    if made is None or not read or not _are_small(read, made):
        return False
    return _takes_few_scalars(producer)


def _changes_what_stays(producer: LinalgStructuredOperation) -> bool:
    """Tell whether all of an elementwise ``producer`` can be made again of a tensor that stays.

    It changes a tensor of no more bytes than its result, that others read too, by small ones: what
    a normalization takes the mean from. Its readers may as well read that tensor. Not where each of
    the small elements changes little: a tile has a whole row then, and the difference in its place.
    """
    result = producer.results[0]
    made = size_bytes(result.type)
    maps = [attribute.data for attribute in producer.get_indexing_maps()]
    pairs = list(zip(producer.inputs, maps, strict=False))
    large = {value for value, map_ in pairs if _is_permutation(map_) and is_tensor(value.type)}
    if made is None or len(large) != 1:
        return False
    (changed,) = large
    changed_bytes = size_bytes(changed.type)
    if changed_bytes is None or changed_bytes > made or _dies_in(changed, producer):
        return False
    rest = [value for value, _ in pairs if value is not changed and is_tensor(value.type)]
    is_long = all(_LONG * prod(shape_of(value)) <= made for value in rest)
    return is_long and _are_small(rest, made) and _takes_few_scalars(producer)


def _are_small(values: Iterable[SSAValue], made: int) -> bool:
    """Tell whether tensors have together an eighth of the bytes that are made."""
    read = [size_bytes(value.type) for value in values]
    known = [bytes_ for bytes_ in read if bytes_ is not None]
    return len(known) == len(read) and _SMALL * sum(known) <= made


def _takes_few_scalars(producer: LinalgStructuredOperation) -> bool:
    scalars = list(producer.body.block.ops)[:-1]
    return len(scalars) <= _MOST_SCALARS and all(_is_cheap(op) for op in scalars)


def _is_cheap(op: Operation) -> bool:
    dialect, _, name = op.name.partition(".")
    return dialect == "arith" and "div" not in name and "rem" not in name


def _is_read_by_elements(value: OpResult) -> bool:
    """Tell whether all that read ``value`` are elementwise, or repeat it, in a `linalg.generic`."""
    return all(
        isinstance(use.operation, GenericOp | NamedOperation | ElementwiseOp)
        and use.index < input_count(use.operation)
        and all(kind.data is IteratorType.PARALLEL for kind in use.operation.get_iterator_types())
        for use in value.uses
    )


def _is_read_element_by_element(value: OpResult) -> bool:
    """Tell whether all that read ``value`` read each element once, in a `linalg.generic`.

    They may add up what they read.
    """
    for use in value.uses:
        reader = use.operation
        if isinstance(reader, GenericOp):
            if reader.library_call is not None:
                return False
        elif not (isinstance(reader, _NAMED) and _is_elementwise(reader)):
            return False
        if use.index >= input_count(reader):
            return False
        if not _is_permutation(reader.get_indexing_maps().data[use.index].data):
            return False
    return True


def _copy_for(
    producer: LinalgStructuredOperation, consumer: LinalgStructuredOperation
) -> LinalgStructuredOperation:
    """Return a copy of ``producer`` for what ``consumer`` reads through one of its maps.

    It is the producer itself where nobody else reads it.
    """
    (value,) = producer.results
    maps = consumer.get_indexing_maps().data
    mine = [use for use in value.uses if use.operation is consumer]
    same = [use for use in mine if maps[use.index] == maps[mine[0].index]]
    if len(same) == len(list(value.uses)):
        return producer
    copy = producer.clone()
    assert consumer.parent is not None
    consumer.parent.insert_op_before(copy, consumer)
    for use in same:
        consumer.operands[use.index] = copy.results[0]
    return copy


def _reads_each_element_once(consumer: LinalgStructuredOperation, value: OpResult) -> bool:
    """Tell whether ``consumer`` alone reads ``value``, through one map that is a permutation."""
    maps = consumer.get_indexing_maps().data
    inputs = input_count(consumer)
    found: set[AffineMap] = set()
    for use in value.uses:
        if use.operation is not consumer or use.index >= inputs:
            return False
        found.add(maps[use.index].data)
    return len(found) == 1 and _is_permutation(found.pop())


def _tells_all_loops(
    producer: LinalgStructuredOperation, consumer: LinalgStructuredOperation, value: OpResult
) -> bool:
    """Tell whether operands still say how long each loop is where nobody reads ``value``.

    They do not where what is repeated along a loop, or looked up, is added up along it.
    """
    maps = [attribute.data for attribute in consumer.get_indexing_maps()]
    reads = list(zip(consumer.operands, maps, strict=True))
    left = [map_ for operand, map_ in reads if operand is not value]
    *read, written = (attribute.data for attribute in producer.get_indexing_maps())
    way = next(map_ for operand, map_ in reads if operand is value)
    loops = _loops_of_producer(written, way)
    left += [_with_loops(map_, loops, way.num_dims) for map_ in read]
    told = {e.position for map_ in left for e in map_.results if isinstance(e, AffineDimExpr)}
    return len(told) == way.num_dims


def _is_elementwise(op: LinalgStructuredOperation) -> bool:
    """Tell whether ``op`` computes each element of its one result by itself."""
    body = op.body.block
    if len(op.results) != 1 or body.args[-1].first_use is not None or op.parent is None:
        return False
    if isinstance(op, FillOp) or (isinstance(op, GenericOp) and op.library_call is not None):
        return False
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    if (
        any(kind.data is not IteratorType.PARALLEL for kind in op.get_iterator_types())
        or not _is_permutation(maps[-1])
        or any(must_keep_order(inner) for inner in body.ops)
    ):
        return False
    return is_static_tensor(op.results[0])


def _works_in_place(op: LinalgStructuredOperation) -> bool:
    """Tell whether the result of an elementwise ``op`` can take the room of an operand."""
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    return any(
        operand.type == op.results[0].type and map_ == maps[-1] and _dies_in(operand, op)
        for operand, map_ in zip(op.inputs, maps, strict=False)
    )


def _waits_for_little(
    producer: LinalgStructuredOperation, consumer: LinalgStructuredOperation
) -> bool:
    """Tell whether fusing keeps no large operand longer than it is kept anyway.

    Of the two operations one has a single large input, a chain's link, and else such as are
    repeated along some loop. So what the other one reads does not wait for anything large.
    """
    return any(
        sum(_is_permutation(map_.data) for map_ in op.get_indexing_maps().data[: input_count(op)])
        <= 1
        for op in (producer, consumer)
    )


def _dies_in(operand: SSAValue, op: Operation) -> bool:
    is_argument = isinstance(operand, BlockArgument)
    return not is_argument and all(use.operation is op for use in operand.uses)


def _is_permutation(map_: AffineMap) -> bool:
    return map_.num_dims == len(map_.results) and map_.is_projected_permutation()


def _fused(before: LinalgStructuredOperation, after: LinalgStructuredOperation) -> GenericOp:
    """Build the operation that does what both do, in the place of the second one."""
    producer, consumer = structured_as_generic(before), structured_as_generic(after)
    value = producer.results[0]
    consumer_maps = [attribute.data for attribute in consumer.get_indexing_maps()]
    producer_maps = [attribute.data for attribute in producer.get_indexing_maps()]
    position = list(consumer.operands).index(value)
    count = consumer_maps[position].num_dims
    loops = _loops_of_producer(producer_maps[-1], consumer_maps[position])

    operands: dict[tuple[SSAValue, AffineMap], int] = {}
    block = Block()

    def argument(operand: SSAValue, map_: AffineMap, old: BlockArgument) -> BlockArgument:
        """Return the block argument for an input, shared by those that read the same."""
        key = (operand, map_)
        if key not in operands:
            operands[key] = len(operands)
            block.insert_arg(old.type, len(block.args))
        return block.args[operands[key]]

    for operand, map_, old in zip(
        producer.inputs, producer_maps, producer.body.block.args, strict=False
    ):
        old.replace_all_uses_with(argument(operand, _with_loops(map_, loops, count), old))
    _move_body(producer.body.block, block, loops)
    yielded = _take_yield(block)
    inputs = input_count(consumer)
    consumer_arguments = list(consumer.body.block.args)
    for i, (operand, old) in enumerate(zip(consumer.operands, consumer_arguments, strict=True)):
        if operand is value:
            old.replace_all_uses_with(yielded)
        elif i < inputs:
            old.replace_all_uses_with(argument(operand, consumer_maps[i], old))
    new_inputs = [operand for operand, _ in operands]
    new_maps = [map_ for _, map_ in operands] + consumer_maps[inputs:]
    for old in consumer_arguments[inputs:]:
        old.replace_all_uses_with(block.insert_arg(old.type, len(block.args)))
    _move_body(consumer.body.block, block, None)

    fused = put_in_place(
        consumer,
        block,
        (new_inputs, consumer.operands[inputs:]),
        [AffineMapAttr(map_) for map_ in new_maps],
        range(len(consumer.results)),
    )
    producer.detach()
    producer.erase()
    return fused


def _loops_of_producer(written: AffineMap, read: AffineMap) -> list[AffineExpr]:
    """Express each loop of the producer by loops of the consumer; ``written`` is a permutation."""
    loops: list[AffineExpr] = [AffineExpr.dimension(0)] * written.num_dims
    for own, other in zip(written.results, read.results, strict=True):
        assert isinstance(own, AffineDimExpr)
        loops[own.position] = other
    return loops


def _with_loops(map_: AffineMap, loops: Sequence[AffineExpr], count: int) -> AffineMap:
    """The same map of ``count`` loops."""
    return map_.replace_dims_and_symbols(loops, [], count, 0)


def _move_body(source: Block, target: Block, loops: Sequence[AffineExpr] | None) -> None:
    """Move the operations of a body; ``loops`` renumbers what asks for a loop index."""
    for op in [*source.ops]:
        op.detach()
        target.add_op(op)
        if loops is None:
            continue
        for inner in operations_in(op):
            if type(inner) is IndexOp:
                loop = loops[inner.dim.value.data]
                assert isinstance(loop, AffineDimExpr)
                inner.dim = IntegerAttr(loop.position, i64)


def _take_yield(block: Block) -> SSAValue:
    terminator = block.last_op
    assert isinstance(terminator, YieldOp)
    (value,) = terminator.operands
    terminator.detach()
    terminator.erase()
    return value
