"""Scalar operations applied to whole tensors: `arith.addf %a, %b : tensor<...>` and the like."""

from typing import TypeAlias, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from xdsl_memplan.dialects.purity import only_computes

Tensor: TypeAlias = TensorType[Attribute]


def is_elementwise(op: Operation) -> bool:
    """Tell whether an operation computes every element of one tensor from those at the same index.

    The condition of `arith.select` may be a scalar.
    """
    if op.name.partition(".")[0] not in ("arith", "math") or len(op.results) != 1:
        return False
    if not isinstance(op.results[0].type, TensorType) or not op.operands or op.regions:
        return False
    shape = cast(TensorType[Attribute], op.results[0].type).get_shape()
    for index, operand in enumerate(op.operands):
        if isinstance(operand.type, TensorType):
            if cast(TensorType[Attribute], operand.type).get_shape() != shape:
                return False
        elif op.name != "arith.select" or index != 0:
            return False
    return only_computes(op)
