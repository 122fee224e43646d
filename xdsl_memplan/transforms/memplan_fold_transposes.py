"""Reads tensors through transposed indexing maps instead of transposed copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import BroadcastOp, GenericOp, TransposeOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.dialects.linalg_additions.filter_layouts import features_first
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.repeated_operands import read_unrepeated, repeated
from xdsl_memplan.transforms.unit_dimensions import non_unit_dimensions, unit_reshape

_RESHAPES = (tensor.CollapseShapeOp, tensor.ExpandShapeOp)
_LOOKED_THROUGH = (TransposeOp, *_RESHAPES)
_BATCH_DIMENSIONS = {"linalg.matmul": 0, "linalg.batch_matmul": 1}
"""Named products with indexing maps: how many leading dimensions must stay in front."""


@dataclass(frozen=True)
class MemplanFoldTransposesPass(ModulePass):
    """Read tensors through transposed indexing maps instead of transposed copies.

    Before, the transposed weights are as large as the weights:

    ```mlir
    %e = tensor.empty() : tensor<768x768xf32>
    %t = linalg.transpose ins(%w : tensor<768x768xf32>) outs(%e : tensor<768x768xf32>)
        permutation = [1, 0]
    %y = linalg.matmul ins(%x, %t : tensor<197x768xf32>, tensor<768x768xf32>)
        outs(%z : tensor<197x768xf32>) -> tensor<197x768xf32>
    ```

    After, they are read where they are, in the same order of additions, so that the result is the
    same bit for bit:

    ```mlir
    %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
        affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %w : tensor<197x768xf32>, tensor<768x768xf32>)
        outs(%z : tensor<197x768xf32>) -> tensor<197x768xf32>
    ```

    It folds into `linalg.matmul`, `linalg.batch_matmul` (the batch stays in front) and
    `linalg.generic`, also through reshapes that only add or drop dimensions of size 1, and into the
    filter of `linalg.conv_2d_nhwc_hwcf`, which becomes `linalg.conv_2d_nhwc_fhwc`. A transpose
    that only moves such dimensions becomes a reshape. Where only slices are read of a transposed
    tensor (queries, keys and values), they are taken from the tensor itself, if the dimensions that
    are left are in the same order: views instead of a copy. A tensor with other readers is left
    alone unless it is an argument or a constant, as it would have to live longer.

    What a sum without a name or `linalg.batch_matmul` reads repeated, such as weights that are
    there once for each image of a batch, is read where it is, too; the product has no name then.
    A broadcast that only adds dimensions of size 1 becomes a reshape. Options: none.

    Requires nothing; what has dynamic sizes is left alone.
    """

    name = "memplan-fold-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fold in the whole module ``op``; linear in its operations."""
        for inner in operations_in(op):
            if type(inner) is BroadcastOp:
                _reshape_instead_of_repeating(inner)
        operations = [read_unrepeated(inner) for inner in operations_in(op)]
        if any(type(inner) is TransposeOp for inner in operations):
            for inner in operations:
                if isinstance(inner, GenericOp) or inner.name in _BATCH_DIMENSIONS:
                    _fold_into(inner)
                elif (twin := features_first(inner)) is not None:
                    _fold_into_filter(inner, *twin)
            for inner in operations_in(op):
                if isinstance(inner, TransposeOp):
                    _slice_first(inner)
                    _reshape_instead(inner)
            operations = operations_in(op)
        for inner in reversed(operations):
            if _is_dead(inner) and (
                type(inner) in _LOOKED_THROUGH or any(map(repeated, inner.results))
            ):
                inner.detach()
                inner.erase()


@dataclass(frozen=True)
class _Origin:
    """Where the dimensions of a tensor come from: the dimensions of another one, rearranged."""

    source: SSAValue
    dimensions: list[int]
    """For each dimension that is not 1, in order: its position in the source."""
    is_only_reader: bool
    """Whether nobody else reads what lies between."""


def _origin(value: SSAValue) -> _Origin | None:
    """Look through transposes and reshapes of unit dimensions, up to the last transpose."""
    if not is_static_tensor(value):
        return None
    found: _Origin | None = None
    dimensions = non_unit_dimensions(_shape(value))
    only_reader = True
    while isinstance(value, OpResult):
        only_reader = only_reader and value.has_one_use()
        op = value.op
        if isinstance(op, TransposeOp) and is_static_tensor(op.inputs[0]):
            permutation = op.permutation.get_values()
            dimensions = [permutation[position] for position in dimensions]
            value = op.inputs[0]
            found = _Origin(value, dimensions, only_reader)
        elif isinstance(op, _RESHAPES) and is_static_tensor(op.src):
            outer, inner = _shape(value), _shape(op.src)
            kept = non_unit_dimensions(inner)
            if [inner[d] for d in kept] != [outer[d] for d in non_unit_dimensions(outer)]:
                break
            position_of = dict(zip(non_unit_dimensions(outer), kept, strict=True))
            dimensions = [position_of[position] for position in dimensions]
            value = op.src
        else:
            break
    return found


def _fold_into(consumer: Operation) -> None:
    maps_attribute = consumer.properties.get("indexing_maps")
    if not any(isinstance(value.owner, _LOOKED_THROUGH) for value in consumer.operands):
        return
    if not isa(maps_attribute, ArrayAttr[AffineMapAttr]):
        return
    maps = [attribute.data for attribute in maps_attribute]
    inputs = len(maps) - len(consumer.results)
    for i in range(inputs):
        operand = consumer.operands[i]
        origin = _origin(operand) if isinstance(operand.type, TensorType) else None
        if origin is None or not _may_read(origin):
            continue
        order = _source_order(_shape(operand), origin.dimensions)
        fixed = _BATCH_DIMENSIONS.get(consumer.name, 0)
        if order == sorted(order) or order[:fixed] != list(range(fixed)):
            continue
        shape = [_shape(operand)[position] for position in order]
        _show(origin.source, shape, Use(consumer, i))
        results = tuple(maps[i].results[position] for position in order)
        maps[i] = AffineMap(maps[i].num_dims, maps[i].num_symbols, results)
    consumer.properties["indexing_maps"] = ArrayAttr(AffineMapAttr(m) for m in maps)


def _fold_into_filter(convolution: Operation, twin: type[Operation], wanted: Sequence[int]) -> None:
    """Take a convolution of another layout, if its filter lies so before it is transposed."""
    filter_ = convolution.operands[1]
    origin = _origin(filter_)
    if origin is None or not _may_read(origin):
        return
    shape = _shape(filter_)
    slots = non_unit_dimensions(shape)
    by_source = [slots[i] for i in sorted(range(len(slots)), key=lambda i: origin.dimensions[i])]
    if by_source != [position for position in wanted if position in slots]:
        return
    _show(origin.source, [shape[position] for position in wanted], Use(convolution, 1))
    new = twin.create(
        operands=convolution.operands,
        result_types=convolution.result_types,
        properties=convolution.properties,
        attributes=convolution.attributes,
        regions=[convolution.detach_region(region) for region in [*convolution.regions]],
        location=convolution.location,
    )
    Rewriter.replace_op(convolution, new)


def _slice_first(transpose: TransposeOp) -> None:
    """Take the slices of a transposed tensor, if nobody reads more, from the tensor itself.

    A slice is then a view, where the dimensions that are left are in the same order.
    """
    slices: list[tuple[tensor.ExtractSliceOp, _Origin]] = []
    views: list[SSAValue] = [*transpose.results]
    while views:
        for use in views.pop().uses:
            reader = use.operation
            if isinstance(reader, _LOOKED_THROUGH) and use.index == 0:
                views += reader.results
                continue
            origin = _origin(reader.operands[0]) if reader.operands else None
            if (
                not isinstance(reader, tensor.ExtractSliceOp)
                or origin is None
                or not _is_view_of(reader, origin)
            ):
                return
            slices.append((reader, origin))
    for slice_, origin in slices:
        _take_from(slice_, origin)


def _is_view_of(slice_: tensor.ExtractSliceOp, origin: _Origin) -> bool:
    if slice_.offsets or slice_.sizes or slice_.strides:
        return False
    sizes = slice_.static_sizes.get_values()
    dimensions = zip(non_unit_dimensions(_shape(slice_.source)), origin.dimensions, strict=True)
    left = [to for from_, to in dimensions if sizes[from_] > 1]
    return left == sorted(left)


def _take_from(slice_: tensor.ExtractSliceOp, origin: _Origin) -> None:
    rank = len(_shape(origin.source))
    offsets, sizes, strides = [0] * rank, [1] * rank, [1] * rank
    for from_, to in zip(
        non_unit_dimensions(_shape(slice_.source)), origin.dimensions, strict=True
    ):
        offsets[to] = slice_.static_offsets.get_values()[from_]
        sizes[to] = slice_.static_sizes.get_values()[from_]
        strides[to] = slice_.static_strides.get_values()[from_]
    wanted = _shape(slice_.result)
    shape = wanted if _drops_units(sizes, wanted) else sizes
    type_ = TensorType(slice_.result.type.get_element_type(), shape)
    part = tensor.ExtractSliceOp(origin.source, offsets, sizes, strides, type_)
    operations, view = unit_reshape(part.result, wanted)
    block = slice_.parent
    assert block is not None
    block.insert_ops_before([part, *operations], slice_)
    slice_.result.replace_all_uses_with(view)
    slice_.detach()
    slice_.erase()


def _drops_units(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Tell whether ``shape`` is ``sizes`` without some of the ones, as of a slice."""
    rest = iter(shape)
    wanted = next(rest, None)
    for size in sizes:
        if size == wanted:
            wanted = next(rest, None)
        elif size != 1:
            return False
    return wanted is None


def _reshape_instead(transpose: TransposeOp) -> None:
    """Replace a transpose that only moves dimensions of size 1."""
    if len(transpose.results) != 1:
        return
    result = transpose.results[0]
    origin = _origin(result)
    if origin is None or origin.dimensions != sorted(origin.dimensions):
        return
    for use in [*result.uses]:
        _show(origin.source, _shape(result), use)


def _reshape_instead_of_repeating(broadcast: BroadcastOp) -> None:
    """Replace a broadcast that only adds dimensions of size 1."""
    if len(broadcast.results) != 1:
        return
    source, [result] = broadcast.input, broadcast.results
    if not is_static_tensor(source) or not is_static_tensor(result):
        return
    if all(_shape(result)[dimension] == 1 for dimension in broadcast.dimensions.get_values()):
        for use in [*result.uses]:
            _show(source, _shape(result), use)
        broadcast.detach()
        broadcast.erase()


def _show(source: SSAValue, shape: Sequence[int], use: Use) -> None:
    """Let a use read ``source`` with dimensions of size 1 added and dropped.

    Where a body of scalars reads it, the view is made before the operation around.
    """
    operations, view = unit_reshape(source, shape)
    reader = use.operation
    while isinstance(around := reader.parent_op(), GenericOp):
        reader = around
    block = reader.parent
    assert block is not None
    block.insert_ops_before(operations, reader)
    use.operation.operands[use.index] = view


def _source_order(shape: Sequence[int], dimensions: Sequence[int]) -> list[int]:
    """Order the dimensions of an operand as they are in the source; those of size 1 stay."""
    slots = non_unit_dimensions(shape)
    by_source = [slots[i] for i in sorted(range(len(slots)), key=lambda i: dimensions[i])]
    order = list(range(len(shape)))
    for slot, position in zip(slots, by_source, strict=True):
        order[slot] = position
    return order


def _may_read(origin: _Origin) -> bool:
    owner = origin.source.owner
    is_always_there = isinstance(origin.source, BlockArgument) or (
        isinstance(owner, Operation) and owner.name == "arith.constant"
    )
    return origin.is_only_reader or is_always_there


def _is_dead(op: Operation) -> bool:
    return bool(op.results) and all(result.first_use is None for result in op.results)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return cast(TensorType[Attribute], value.type).get_shape()
