"""Scalars that a function takes out of tensors that its layers make, only to return them.

```mlir
%sum = linalg.reduce ... -> tensor<f32>
%s = tensor.extract %sum[] : tensor<f32>
func.return %s, %y : f32, tensor<32x16xf32>
```

Such an operation computes nothing, and belongs to no layer. What it reads is returned as far as
layers are concerned: it is stored like other results, and the caller gets its one element.
"""

from xdsl.dialects import arith, tensor
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade


def is_handed_out(op: Operation) -> bool:
    """Tell whether an operation takes the one element of a tensor of rank 0, to be returned only.

    The tensor is one that an operation computes: no argument, constant, fill or view.
    """
    if not isinstance(op, tensor.ExtractOp) or op.indices:
        return False
    maker = op.tensor.owner
    return (
        isinstance(maker, Operation)
        and maker.parent is op.parent
        and not isinstance(maker, arith.ConstantOp)
        and is_tensor(op.tensor.type)
        and not is_remade(op.tensor)
        and shown_by(op.tensor) is op.tensor
        and op.result.first_use is not None
        and all(isinstance(use.operation, ReturnOp) for use in op.result.uses)
    )
