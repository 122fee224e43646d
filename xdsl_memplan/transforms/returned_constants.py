"""Constants and fills that a function returns are copied, so that somebody makes them tile by tile.

```mlir
%c = arith.constant dense<1.5> : tensor<64x64xf32>
func.return %c : tensor<64x64xf32>
```

What is only made where it is read belongs to no layer. Returned, it was whole on chip: more than
there is room for, maybe.
"""

from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade, static_shape


def copy_returned_constants(block: Block) -> None:
    """Copy constants and fills before the return of a block; each once. Linear in its operands."""
    terminator = block.last_op
    if not isinstance(terminator, ReturnOp):
        return
    copies: dict[SSAValue, SSAValue] = {}
    for number, value in enumerate(terminator.operands):
        if not (is_tensor(value.type) and static_shape(value) and _is_made_where_read(value)):
            continue
        if value not in copies:
            room = tensor.EmptyOp((), cast(TensorType[Attribute], value.type))
            copy = _copy(value, room.tensor)
            block.insert_ops_before([room, copy], terminator)
            copies[value] = copy.results[0]
        terminator.operands[number] = copies[value]


def _is_made_where_read(value: SSAValue) -> bool:
    if isinstance(value.owner, tensor.EmptyOp):
        return False
    return is_remade(value) or isinstance(value.owner, arith.ConstantOp)


def _copy(value: SSAValue, into: SSAValue) -> GenericOp:
    type_ = cast(TensorType[Attribute], value.type)
    rank = type_.get_num_dims()
    body = Block(arg_types=[type_.get_element_type()] * 2)
    body.add_op(YieldOp(body.args[0]))
    identity = AffineMapAttr(AffineMap.identity(rank))
    return GenericOp(
        [value],
        [into],
        Region(body),
        [identity, identity],
        [IteratorTypeAttr(IteratorType.PARALLEL)] * rank,
        [type_],
    )
