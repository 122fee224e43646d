"""Scalars that are inserted into tensors become slices of one element.

```mlir
%z = tensor.insert %s into %y[%c3, %i] : tensor<32x16xf32>
```

As an operation on a whole tensor it has no tiles. Slices have:

```mlir
%p = tensor.splat %s : tensor<1x1xf32>
%z = tensor.insert_slice %p into %y[3, %i] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<32x16xf32>
```

What is inserted into a tensor of rank 0 is all of it.
"""

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from xdsl_memplan.dialects.integer_constant import integer_constant


def insert_slices_of_one_element(block: Block) -> None:
    """Rewrite the scalars that a block inserts into its tensors; linear in the block."""
    for op in list(block.ops):
        if isinstance(op, tensor.InsertOp):
            hint = op.result.name_hint
            type_ = op.result.type
            rank = type_.get_num_dims()
            part = tensor.SplatOp(op.scalar, (), TensorType(type_.get_element_type(), [1] * rank))
            made = [part, _inserted(part.result, op)] if rank else [part]
            made[-1].results[0].name_hint = hint
            Rewriter.replace_op(op, made)


def _inserted(part: SSAValue, op: tensor.InsertOp) -> tensor.InsertSliceOp:
    known = [integer_constant(index) for index in op.indices]
    offsets = [DYNAMIC_INDEX if offset is None else offset for offset in known]
    run_time = [index for index, offset in zip(op.indices, known, strict=True) if offset is None]
    ones = DenseArrayBase.from_list(i64, [1] * len(known))
    return tensor.InsertSliceOp.build(
        operands=[part, op.dest, run_time, [], []],
        result_types=[op.result.type],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, offsets),
            "static_sizes": ones,
            "static_strides": ones,
        },
    )
