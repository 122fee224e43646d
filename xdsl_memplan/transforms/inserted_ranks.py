"""What `tensor.insert_slice` inserts gets the rank of what it is inserted into.

A front end stacks tensors by inserts that leave a dimension out:

```mlir
%s = tensor.insert_slice %y into %r[2, 0, 0] [1, 8, 16] [1, 1, 1]
       : tensor<8x16xf32> into tensor<4x8x16xf32>
```

Tiles of the result hold the index 2 or they do not, and only a dimension of the source can say so:

```mlir
%e = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 8, 16]
       : tensor<8x16xf32> into tensor<1x8x16xf32>
%s = tensor.insert_slice %e into %r[2, 0, 0] [1, 8, 16] [1, 1, 1]
       : tensor<1x8x16xf32> into tensor<4x8x16xf32>
```

What has rank 0 is copied, by `linalg.broadcast`: xDSL knows no `expand_shape` of it, and MLIR no
other view.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.dialects.linalg.ops import BroadcastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xdsl_memplan.transforms.unit_dimensions import unit_reshape


def insert_whole_ranks(block: Block) -> None:
    """Rewrite the inserts of a block that leave dimensions of size 1 out; linear in the block."""
    for op in list(block.ops):
        if not isinstance(op, tensor.InsertSliceOp):
            continue
        type_ = cast(TensorType[Attribute], op.source.type)
        sizes = op.static_sizes.get_values()
        is_known = DYNAMIC_INDEX not in sizes and type_.has_static_shape()
        if not is_known or len(type_.get_shape()) == len(sizes):
            continue
        whole = unit_reshape if type_.get_shape() else _broadcast
        made, source = whole(op.source, sizes)
        block.insert_ops_before(made, op)
        op.operands[0] = source


def _broadcast(value: SSAValue, shape: Sequence[int]) -> tuple[list[Operation], SSAValue]:
    """Make operations that copy the element of a tensor of rank 0, and their result."""
    type_ = TensorType(cast(TensorType[Attribute], value.type).get_element_type(), shape)
    empty = tensor.EmptyOp((), type_)
    dimensions = DenseArrayBase.from_list(i64, range(len(shape)))
    broadcast = BroadcastOp(value, empty.tensor, dimensions, type_)
    return [empty, broadcast], broadcast.results[0]
