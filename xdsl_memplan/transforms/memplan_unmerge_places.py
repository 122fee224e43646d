"""Computes places of an image, which a network merges, in dimensions of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp, TransposeOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.merged_places import Extents, MergedPlaces
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling_models.tile_values import empty, shape_of, static_shape, tile_type
from xdsl_memplan.transforms.as_generic import hand_over, structured_as_generic
from xdsl_memplan.transforms.loop_parts import Loops, extents_of, split_loops, sums_over
from xdsl_memplan.transforms.static_reshape import reshaped
from xdsl_memplan.transforms.unread import erase_unread


@dataclass(frozen=True)
class MemplanUnmergePlacesPass(ModulePass):
    """Compute places of an image, which a network merges, in dimensions of their own.

    Attention in windows cuts an image into blocks, numbers these, and works on block after block:

    ```mlir
    %b = tensor.expand_shape %x [[0, 1], [2, 3], [4]] output_shape [6, 4, 7, 4, 16]
        : tensor<24x28x16xf32> into tensor<6x4x7x4x16xf32>
    %t = linalg.transpose ins(%b : tensor<6x4x7x4x16xf32>) outs(%e : tensor<6x7x4x4x16xf32>)
        permutation = [0, 2, 1, 3, 4]
    %c = tensor.collapse_shape %t [[0, 1], [2, 3], [4]]
        : tensor<6x7x4x4x16xf32> into tensor<42x16x16xf32>
    %s = linalg.batch_matmul ins(%c, %k : tensor<42x16x16xf32>, tensor<42x16x16xf32>)
        outs(%z : tensor<42x16x16xf32>) -> tensor<42x16x16xf32>
    ```

    A block has one number then, and a tile that takes some rows and some columns of the image has
    no name in it: it would need all of them. Afterwards the product goes over the rows and the
    columns of blocks, and only who cannot reads their number:

    ```mlir
    %d = tensor.collapse_shape %t [[0], [1], [2, 3], [4]]
        : tensor<6x7x4x4x16xf32> into tensor<6x7x16x16xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(a, b, i, j, k) -> (a, b, i, k)>, ...], ...}
        ins(%d, %l : ...) outs(%y : ...) -> tensor<6x7x16x16xf32>
    %s = tensor.collapse_shape %p [[0, 1], [2], [3]]
        : tensor<6x7x16x16xf32> into tensor<42x16x16xf32>
    ```

    So are pixels that are the rows of a product, where the image has such blocks, or windows of a
    convolution move over it. Nothing is changed if no product or sum gains by it, and never a
    dimension that is summed up anywhere: the same scalars are computed in the same order, so that
    the result is the same bit for bit. Options: none.

    Requires nothing; what has dynamic sizes is left alone, as are other operations than those of
    `linalg`, slices and concatenations: they read what is merged.
    """

    name = "memplan-unmerge-places"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Compute apart what is merged in all functions of the module ``op``; nearly linear."""
        for function in operations_in(op):
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                places = MergedPlaces.of(function.body.block)
                if places.extents:
                    _unmerge(function.body.block, places)
                    _read_sources(function.body.block)
                    erase_unread(function)


def _unmerge(block: Block, places: MergedPlaces) -> None:
    for op in list(block.ops):
        if any(static_shape(value) is None for value in op.results):
            continue
        match op:
            case TransposeOp() | tensor.ExtractSliceOp() | tensor.ConcatOp():
                [result] = op.results
                shape = places.shape_in_parts(result)
                if any(len(extents) > 1 for extents in shape):
                    _move_parts(op, shape, Builder(InsertPoint.before(op)))
            case LinalgStructuredOperation():
                _split_loops_of(op, places)
            case _:
                pass


def _split_loops_of(op: LinalgStructuredOperation, places: MergedPlaces) -> None:
    count = len(op.get_iterator_types())
    wanted = {loop: parts for loop in range(count) if (parts := places.parts(op, loop))}
    if not wanted or (isinstance(op, GenericOp) and op.library_call is not None):
        return
    generic = structured_as_generic(op)
    extents = extents_of(generic)
    if extents is None:
        return
    loops = Loops.of(extents)
    for loop, parts in wanted.items():
        part = loop
        for position in range(1, len(parts)):
            loops.split(part, prod(parts[position:]))
            part = len(loops.extents) - 1
    sums = sums_over(generic, loops)
    if sums is not None:
        split_loops(generic, loops, sums)


def _move_parts(op: Operation, shape: Sequence[Extents], builder: Builder) -> None:
    """Move elements in a result with more dimensions, and show it in its old shape.

    ``shape`` are the extents of the parts of each of its dimensions.
    """
    [result] = op.results
    type_ = tile_type(result.type, _flat(shape))
    match op:
        case TransposeOp():
            made = _transposed(op, shape, builder)
        case tensor.ExtractSliceOp():
            found = _sliced(op, shape, builder)
            if found is None:
                return
            made = found
        case tensor.ConcatOp():
            dim = op.dim.value.data
            if len(shape[dim]) > 1:
                return
            parts = [
                reshaped(
                    part, _flat([*shape[:dim], (shape_of(part)[dim],), *shape[dim + 1 :]]), builder
                )
                for part in op.inputs
            ]
            position = IntegerAttr(len(_flat(shape[:dim])), i64)
            made = tensor.ConcatOp.create(
                operands=parts, result_types=[type_], properties={"dim": position}
            )
        case _:
            return
    made.attributes = dict(op.attributes)
    made.location = op.location
    builder.insert(made)
    hand_over(op, (reshaped(made.results[0], shape_of(result), builder),))


def _transposed(op: TransposeOp, shape: Sequence[Extents], builder: Builder) -> TransposeOp:
    order: Sequence[int] = op.permutation.get_values()
    of_input: list[Extents] = [()] * len(order)
    for d, old in enumerate(order):
        of_input[old] = shape[d]
    starts = [len(_flat(of_input[:old])) for old in range(len(order))]
    permutation = [starts[old] + n for d, old in enumerate(order) for n in range(len(shape[d]))]
    source = reshaped(op.operands[0], _flat(of_input), builder)
    type_ = tile_type(op.results[0].type, _flat(shape))
    return TransposeOp(
        source, empty(type_, builder), DenseArrayBase.from_list(i64, permutation), type_
    )


def _sliced(
    op: tensor.ExtractSliceOp, shape: Sequence[Extents], builder: Builder
) -> tensor.ExtractSliceOp | None:
    """A slice with dimensions that it takes as they are in parts; None if it takes one not so."""
    whole = static_shape(op.source)
    if whole is None or len(whole) != len(shape) or op.offsets or op.sizes or op.strides:
        return None
    offsets, strides = op.static_offsets.get_values(), op.static_strides.get_values()
    if any(len(parts) > 1 and prod(parts) != whole[d] for d, parts in enumerate(shape)):
        return None
    source = [parts if len(parts) > 1 else (whole[d],) for d, parts in enumerate(shape)]
    return tensor.ExtractSliceOp(
        reshaped(op.source, _flat(source), builder),
        _spread(offsets, shape, 0),
        _flat(shape),
        _spread(strides, shape, 1),
        tile_type(op.result.type, _flat(shape)),
    )


def _flat(shape: Iterable[Extents]) -> list[int]:
    return [extent for parts in shape for extent in parts]


def _spread(numbers: Sequence[int], shape: Sequence[Extents], otherwise: int) -> list[int]:
    """A number for each dimension of a slice; ``otherwise`` for parts, which are taken whole."""
    return [
        number if len(parts) == 1 else otherwise
        for number, parts in zip(numbers, shape, strict=True)
        for _ in parts
    ]


_RESHAPES = (tensor.ExpandShapeOp, tensor.CollapseShapeOp)


def _read_sources(block: Block) -> None:
    """Let reshapes of what is reshaped show the tensor that it was first, each shape once."""
    shown: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = {}
    for op in list(block.ops):
        if isinstance(op, _RESHAPES) and isinstance(op.src.owner, _RESHAPES):
            shape, source = static_shape(op.result), _source_of(op.src)
            if shape is None or static_shape(source) is None:
                continue
            if (source, shape) not in shown:
                builder = Builder(InsertPoint.before(op))
                shown[source, shape] = reshaped(source, shape, builder)
            view = shown[source, shape]
            view.name_hint = view.name_hint or op.result.name_hint
            op.result.replace_all_uses_with(view)


def _source_of(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, _RESHAPES):
        value = value.owner.src
    return value
