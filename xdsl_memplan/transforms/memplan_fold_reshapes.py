"""Computes on merged dimensions instead of those that a reshape makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TypeAlias, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import (
    Tensor,
    is_remade,
    remake,
    shape_of,
    static_shape,
    tile_type,
)
from xdsl_memplan.transforms.unit_dimensions import (
    collapsed,
    expanded,
    non_unit_dimensions,
    reassociation,
    unit_reshape,
)


@dataclass(frozen=True)
class MemplanFoldReshapesPass(ModulePass):
    """Compute on merged dimensions instead of those that a reshape makes of them.

    A linear layer on a batch of sequences is a product of matrices whose rows are all rows of all
    sequences; what follows works on three dimensions again:

    ```mlir
    %p = linalg.matmul ins(%x, %w : tensor<640x512xf32>, tensor<512x2048xf32>)
        outs(%z : tensor<640x2048xf32>) -> tensor<640x2048xf32>
    %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [20, 32, 2048]
        : tensor<640x2048xf32> into tensor<20x32x2048xf32>
    %r = linalg.generic {indexing_maps = [#map3, #map3], ...}
        ins(%e : tensor<20x32x2048xf32>) outs(%o : tensor<20x32x2048xf32>) ...
    ```

    Tiles of the product that take some rows of one sequence have no name in three dimensions.
    Afterwards the operation reads the product itself, and only others see the reshape:

    ```mlir
    %r = linalg.generic {indexing_maps = [#map2, #map2], ...}
        ins(%p : tensor<640x2048xf32>) outs(%o2 : tensor<640x2048xf32>) ...
    %e = tensor.expand_shape %r [[0, 1], [2]] output_shape [20, 32, 2048]
        : tensor<640x2048xf32> into tensor<20x32x2048xf32>
    ```

    A `linalg.generic` without a library call is folded if each of its operands has the merged
    dimensions side by side, or none of them, and if all of these are parallel. Other operands are
    read through a `tensor.collapse_shape`, a view. A `collapse_shape` that undoes an `expand_shape`
    goes. The same scalars are computed in the same order, so that the result is the same bit for
    bit. Options: none.

    Requires nothing; what has dynamic sizes is left alone.
    """

    name = "memplan-fold-reshapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fold in the whole module ``op``; linear in its operations."""
        operations = operations_in(op)
        if not any(type(inner) is tensor.ExpandShapeOp for inner in operations):
            return
        empties: EmptyTensors = {}
        for inner in operations:
            if type(inner) is GenericOp:
                _fold_into(inner, empties)
        operations = operations_in(op)
        for inner in operations:
            if type(inner) is tensor.CollapseShapeOp:
                _undo(inner)
        for inner in reversed(operations):
            if any(result.first_use for result in inner.results):
                continue
            if type(inner) in _VIEWS or _is_made_anew(inner):
                inner.detach()
                inner.erase()


_VIEWS = (tensor.ExpandShapeOp, tensor.CollapseShapeOp)


def _is_made_anew(op: Operation) -> bool:
    """Tell whether an operation only makes a tensor that is the same everywhere."""
    return len(op.results) == 1 and is_remade(op.results[0])


Loops: TypeAlias = tuple[int, ...]
"""Loops next to each other that become one, in their order."""
EmptyTensors: TypeAlias = dict[tuple[SSAValue, tuple[int, ...], Block], SSAValue]
"""Empty tensors made in another shape: by tensor, shape and the block that they stand in."""


def _fold_into(op: GenericOp, empties: EmptyTensors) -> None:
    inputs = op.operands[: input_count(op)]
    if not any(type(value.owner) is tensor.ExpandShapeOp for value in inputs):
        return
    if op.library_call is not None:
        return
    if any(static_shape(operand) is None for operand in op.operands):
        return
    maps = [attribute.data for attribute in op.indexing_maps]
    merged: list[Loops] = []
    for operand, map_ in zip(inputs, maps, strict=False):
        if isinstance(operand.owner, tensor.ExpandShapeOp):
            wanted = _split_loops(operand.owner, map_)
            if wanted and all(_can_merge(op, maps, loops, merged) for loops in wanted):
                merged += [loops for loops in wanted if loops not in merged]
    if merged:
        _merge(op, merged, empties)


def _split_loops(expand: tensor.ExpandShapeOp, map_: AffineMap) -> list[Loops]:
    """The loops over the dimensions that an ``expand_shape`` makes of one, for each such one.

    Empty if it only adds dimensions of size 1, or if loops do not follow dimensions.
    """
    shape = static_shape(expand.result)
    if shape is None or static_shape(expand.src) is None:
        return []
    found: list[Loops] = []
    for group in expand.reassociation:
        dimensions = [position.value.data for position in group]
        if sum(shape[d] > 1 for d in dimensions) > 1:
            loops = tuple(
                expression.position
                for expression in (map_.results[d] for d in dimensions)
                if isinstance(expression, AffineDimExpr)
            )
            if len(loops) != len(dimensions):
                return []
            found.append(loops)
    return found


def _can_merge(
    op: GenericOp, maps: Sequence[AffineMap], loops: Loops, merged: Sequence[Loops]
) -> bool:
    """Tell whether all operands have the dimensions of ``loops`` side by side, or none of them."""
    if loops in merged:
        return True
    kinds = op.get_iterator_types().data
    return (
        not any(set(loops) & set(others) for others in merged)
        and len(set(loops)) == len(loops)
        and all(kinds[loop].data is IteratorType.PARALLEL for loop in loops)
        and not any(index.dim.value.data in loops for index in _indices(op))
        and all(_has_side_by_side(map_.results, loops) for map_ in maps)
    )


@lru_cache(maxsize=4096)  # A network has few different maps.
def _has_side_by_side(results: tuple[AffineExpr, ...], loops: Loops) -> bool:
    positions = [i for i, result in enumerate(results) if set(loops) & set(result.used_dims())]
    return not positions or (
        [_loop_of(results[i]) for i in positions] == [*loops]
        and positions == [*range(positions[0], positions[-1] + 1)]
    )


def _indices(op: GenericOp) -> list[IndexOp]:
    """The operations that ask for the position in a loop."""
    return [inner for inner in operations_in(op) if type(inner) is IndexOp]


def _loop_of(expression: AffineExpr) -> int | None:
    return expression.position if isinstance(expression, AffineDimExpr) else None


def _merge(op: GenericOp, merged: Sequence[Loops], empties: EmptyTensors) -> None:
    """Let ``op`` loop over fewer loops, and show its results in their old shapes."""
    builder = Builder(InsertPoint.before(op))
    gone = frozenset(loop for loops in merged for loop in loops[1:])
    kept, starts, properties = _fewer_loops(op.indexing_maps, op.iterator_types, gone)
    op.operands = [
        _merged(value, left, builder, empties)
        for value, left in zip(op.operands, starts, strict=True)
    ]
    op.properties.update(properties)
    for index in _indices(op):
        index.dim = IntegerAttr(kept.index(index.dim.value.data), i64)
    inputs = input_count(op)
    after = Builder(InsertPoint.after(op))
    for old, output, left in zip(op.results, op.operands[inputs:], starts[inputs:], strict=True):
        rank = len(shape_of(old))
        if len(left) != rank:
            _show(old, output.type, _groups(left, rank), after)


def _show(old: SSAValue, type_: Attribute, groups: Sequence[range], builder: Builder) -> None:
    """Give a result another type, and let its readers read it in the shape that it had."""
    view = builder.insert(expanded(old, reassociation(groups), cast(Tensor, old.type)))
    old.replace_uses_with_if(view.result, lambda use: use.operation is not view)
    Rewriter.replace_value_with_new_type(old, type_).name_hint = None


@lru_cache(maxsize=1024)  # A network has few different ones.
def _fewer_loops(
    maps: ArrayAttr[AffineMapAttr], kinds: ArrayAttr[IteratorTypeAttr], gone: frozenset[int]
) -> tuple[list[int], list[list[int]], dict[str, Attribute]]:
    """What is left without the loops ``gone``: loops, dimensions of each operand, properties.

    Dimensions are left that are looped over by a loop that is, which may be the first of several.
    """
    rank = len(kinds.data)
    kept = [loop for loop in range(rank) if loop not in gone]
    number = {loop: AffineExpr.dimension(position) for position, loop in enumerate(kept)}
    # What is gone stands beside the first of its loops, and is dropped with it.
    renamed = [number.get(loop, number[kept[0]]) for loop in range(rank)]
    starts: list[list[int]] = []
    new: list[AffineMapAttr] = []
    for map_ in (attribute.data for attribute in maps):
        left = [i for i, result in enumerate(map_.results) if _loop_of(result) not in gone]
        results = [map_.results[i].replace_dims_and_symbols(renamed, ()) for i in left]
        new.append(AffineMapAttr(AffineMap(len(kept), 0, tuple(results))))
        starts.append(left)
    properties: dict[str, Attribute] = {
        "indexing_maps": ArrayAttr(new),
        "iterator_types": ArrayAttr(kinds.data[loop] for loop in kept),
    }
    return kept, starts, properties


def _groups(starts: Sequence[int], rank: int) -> list[range]:
    return [range(start, end) for start, end in pairwise([*starts, rank])]


def _merged(
    value: SSAValue, starts: Sequence[int], builder: Builder, empties: EmptyTensors
) -> SSAValue:
    """Show a tensor with dimensions merged; one that is the same everywhere is made anew.

    Empty tensors are made once for all operations of a block, which are folded in their order.
    """
    old = shape_of(value)
    if len(starts) == len(old):
        return value
    groups = _groups(starts, len(old))
    shape = tuple(prod(old[d] for d in group) for group in groups)
    if isinstance(value.owner, tensor.EmptyOp):
        key = value, shape, builder.insertion_point.block
        if key not in empties:
            empties[key] = remake(value, shape, builder)
        return empties[key]
    if is_remade(value):
        return remake(value, shape, builder)
    shown = _before_expansion(value, shape, builder)
    if shown is not None:
        return shown
    view = collapsed(value, reassociation(groups), tile_type(value.type, shape))
    return builder.insert(view).result


def _before_expansion(value: SSAValue, shape: Sequence[int], builder: Builder) -> SSAValue | None:
    """What an ``expand_shape`` shows, if but for dimensions of size 1 it has the given shape."""
    if not isinstance(value.owner, tensor.ExpandShapeOp):
        return None
    source = value.owner.src
    old = static_shape(source)
    if old is None or _without_units(old) != _without_units(shape):
        return None
    operations, view = unit_reshape(source, shape)
    for operation in operations:
        builder.insert(operation)
    return view


def _without_units(shape: Sequence[int]) -> list[int]:
    return [shape[position] for position in non_unit_dimensions(shape)]


def _undo(collapse: tensor.CollapseShapeOp) -> None:
    """Let readers of a ``collapse_shape`` read what an ``expand_shape`` before it shows."""
    shape = static_shape(collapse.result)
    if shape is not None:
        builder = Builder(InsertPoint.before(collapse))
        shown = _before_expansion(collapse.src, shape, builder)
        collapse.result.replace_all_uses_with(shown or collapse.result)
