"""Packing into tiles and back, written as padding, views and a transpose.

MLIR's `lowerPack` and `lowerUnPack` make the same of them:

```mlir
%p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %d
       : tensor<12x16xf32> -> tensor<3x2x4x8xf32>

%e = tensor.expand_shape %x [[0, 1], [2, 3]] : tensor<12x16xf32> into tensor<3x4x2x8xf32>
%p = linalg.transpose ins(%e : tensor<3x4x2x8xf32>) outs(%d : tensor<3x2x4x8xf32>)
       permutation = [0, 2, 1, 3]
```

They have tiles, and products read what is transposed where it lies.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.linalg.ops import TransposeOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from xdsl_memplan.dialects.linalg_additions.packing import PackOp, UnpackOp
from xdsl_memplan.dialects.tiling_models.tile_values import (
    shape_of,
    sliced,
    static_shape,
    tile_type,
)
from xdsl_memplan.transforms.unit_dimensions import collapsed, expanded, reassociation


def packed(op: PackOp, builder: Builder) -> SSAValue | None:
    """Build what ``op`` stands for; None for dynamic shapes, or a last tile that nothing fills."""
    shape = static_shape(op.source)
    if shape is None or static_shape(op.result) is None:
        return None
    tiles = op.tiles()
    whole = [-(-size // tiles.get(d, 1)) * tiles.get(d, 1) for d, size in enumerate(shape)]
    value: SSAValue = op.source
    if whole != [*shape]:
        if op.padding_value is None:
            return None
        value = _padded(value, whole, op.padding_value, builder)
    if tiles:
        cut = [
            part
            for d, size in enumerate(whole)
            for part in ((size // tiles[d], tiles[d]) if d in tiles else (size,))
        ]
        groups = reassociation(_groups(len(whole), tiles))
        value = builder.insert(expanded(value, groups, tile_type(value.type, cut))).result
    axes = _axes(op)
    if axes != sorted(axes):
        permutation = DenseArrayBase.from_list(i64, axes)
        value = builder.insert(TransposeOp(value, op.dest, permutation)).results[0]
    return value


def unpacked(op: UnpackOp, builder: Builder) -> SSAValue | None:
    """Build what ``op`` stands for; None for dynamic shapes."""
    shape = static_shape(op.result)
    if shape is None or static_shape(op.source) is None:
        return None
    tiles = op.tiles()
    value: SSAValue = op.source
    axes = _axes(op)
    back = sorted(range(len(axes)), key=lambda position: axes[position])
    if back != sorted(back):
        moved = [shape_of(value)[position] for position in back]
        empty = builder.insert(tensor.EmptyOp((), _tensor_type(value, moved))).tensor
        permutation = DenseArrayBase.from_list(i64, back)
        value = builder.insert(TransposeOp(value, empty, permutation)).results[0]
    if tiles:
        groups = _groups(len(shape), tiles)
        cut = shape_of(value)
        merged = [cut[group[0]] * (cut[group[1]] if len(group) > 1 else 1) for group in groups]
        view = collapsed(value, reassociation(groups), _tensor_type(value, merged))
        value = builder.insert(view).result
    ones = [1] * len(shape)
    return sliced(value, [0] * len(shape), shape, ones, shape, builder)


def _groups(rank: int, tiles: dict[int, int]) -> list[list[int]]:
    """For each dimension those that it is cut into: how many tiles, and the tile."""
    groups: list[list[int]] = []
    position = 0
    for dimension in range(rank):
        parts = 2 if dimension in tiles else 1
        groups.append([*range(position, position + parts)])
        position += parts
    return groups


def _axes(op: PackOp | UnpackOp) -> list[int]:
    """For each dimension with tiles its position where the tile is behind what it cuts."""
    tiles = op.tiles()
    groups = _groups(len(op.shapes()[0]), tiles)
    return [*(groups[d][0] for d in op.order()), *(groups[d][1] for d in tiles)]


def _padded(value: SSAValue, shape: Sequence[int], padding: SSAValue, builder: Builder) -> SSAValue:
    high = [size - old for size, old in zip(shape, shape_of(value), strict=True)]
    body = Block([tensor.YieldOp(padding)], arg_types=[IndexType()] * len(shape))
    type_ = _tensor_type(value, shape)
    low = [0] * len(shape)
    return builder.insert(tensor.PadOp(value, (), (), Region(body), low, high, type_)).results[0]


def _tensor_type(value: SSAValue, shape: Sequence[int]) -> TensorType[Attribute]:
    return TensorType(cast(TensorType[Attribute], value.type).get_element_type(), shape)
