"""Inputs that are one scalar everywhere: the body reads the scalar, and no tensor is filled."""

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp, ReduceOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, SSAValue

from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.transforms.bufferize.inlined_scalars import inlined_inputs


def reads_scalar(op: LinalgStructuredOperation, uniforms: Uniforms) -> bool:
    """Tell whether the body could read a scalar instead of a tensor that is the same everywhere."""
    if not op.results or all(uniforms.of(result) is not None for result in op.results):
        return False
    return bool(inlined_inputs(op, _outputs(op), uniforms) or _shapes(op, uniforms))


def sums_scalar(op: ReduceOp, uniforms: Uniforms) -> bool:
    """Tell whether a reduction reads one scalar everywhere."""
    result = op.result[0] if op.result else None
    return result is not None and not uniforms.of(result) and uniforms.of(op.input) is not None


def keep_shapes_only(op: GenericOp, uniforms: Uniforms) -> None:
    """Let the body read the scalars of inputs that have to stay, as they tell how often loops run.

    What stays is an empty tensor, as the window of a pooling: filled, it would be the one operand
    of tiles that nobody counts. Bufferization leaves the other inputs out.
    """
    block, body = op.parent, op.body.block
    assert block is not None
    for i in _shapes(op, uniforms):
        uniform = uniforms.of(op.inputs[i])
        assert uniform is not None
        scalar = uniform.scalar
        if not isinstance(scalar, SSAValue):
            constant = arith.ConstantOp(cast(IntegerAttr, scalar))
            block.insert_op_before(constant, op)
            scalar = constant.result
        room = EmptyOp((), cast(TensorType[Attribute], op.inputs[i].type))
        block.insert_op_before(room, op)
        body.args[i].replace_all_uses_with(scalar)
        op.operands[i] = room.tensor


def _shapes(op: LinalgStructuredOperation, uniforms: Uniforms) -> list[int]:
    """List the uniform inputs that are read, and without which the length of a loop is unknown."""
    inlined = inlined_inputs(op, _outputs(op), uniforms)
    arguments = op.body.block.args
    return [
        i
        for i, value in enumerate(op.inputs)
        if i not in inlined
        and arguments[i].first_use is not None
        and is_static_tensor(value)
        and uniforms.of(value) is not None
    ]


def _outputs(op: LinalgStructuredOperation) -> range:
    return range(len(op.inputs), len(op.operands))
