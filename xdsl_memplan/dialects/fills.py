"""`linalg.fill`, made without asking xDSL for what is always the same."""

from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, TensorType, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from xdsl_memplan.dialects.xdsl_versions import linalg_ops


def make_fill(
    scalar: SSAValue, target: SSAValue, result_types: Sequence[Attribute] = ()
) -> "linalg_ops.FillOp":
    """Write ``scalar`` to every element of a tensor or memref.

    As the constructor of `FillOp`, which takes ten times as long; a network on memrefs has a fill
    for every border.
    """
    element = cast("TensorType[Attribute] | MemRefType[Attribute]", target.type).element_type
    block = Block(arg_types=[scalar.type, element])
    block.add_op(linalg_ops.YieldOp.create(operands=[block.args[0]]))
    return linalg_ops.FillOp.create(
        operands=[scalar, target],
        result_types=result_types,
        properties={"operandSegmentSizes": _one_each()},
        regions=[Region(block)],
    )


@cache
def _one_each() -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, (1, 1))
