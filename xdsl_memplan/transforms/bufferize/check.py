"""What a function must be for bufferization; everything is checked before anything is changed."""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import arith, bufferization, func, tensor
from xdsl.dialects.builtin import MemRefType, UnrankedTensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.transforms.bufferize.constants import check_constant
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import CONTROL_FLOW, STRUCTURED, is_tensor
from xdsl_memplan.transforms.bufferize.memref_layout import Memref, Tensor, is_dense, is_static
from xdsl_memplan.transforms.bufferize.place_slices import pad_interior, pad_value, shape_of
from xdsl_memplan.transforms.bufferize.rules import find_rule
from xdsl_memplan.transforms.bufferize.tensor_views import VIEW_OPS, slice_of, views_of

_MOST_BYTES = 2**63 - 1


def control_flow_blocks(function: func.FuncOp) -> Iterator[Block]:
    """The blocks of a function and of the control flow in it, outer ones first."""
    yield from _blocks(function.body)


def check_function(function: func.FuncOp) -> None:
    """Raise PassFailedException, with operation and value, for what cannot be bufferized."""
    for type in (*function.function_type.inputs, *function.function_type.outputs):
        if isinstance(type, UnrankedTensorType):
            raise cannot_bufferize(function, f"an unranked tensor: {type}")
    for block in control_flow_blocks(function):
        for argument in block.args:
            _check_value(function, argument)
        if len(function.body.blocks) > 1 and any(is_tensor(a) for a in block.args):
            raise cannot_bufferize(
                function, "tensors in unstructured control flow; use scf instead of branches"
            )
        for op in block.ops:
            _check_operation(op)


def _check_operation(op: Operation) -> None:
    for value in (*op.operands, *op.results):
        _check_value(op, value)
    find_rule(op)
    if isinstance(op, STRUCTURED):
        _check_structured(op)
    match op:
        case arith.ConstantOp() if is_tensor(op.result):
            check_constant(op)
        case tensor.PadOp():
            pad_interior(op)
            pad_value(op)
        case tensor.InsertSliceOp():
            slice_of(op, shape_of(op.source))
        case bufferization.ToTensorOp() | bufferization.ToBufferOp():
            type = op.memref.type
            if not isinstance(type, MemRefType) or not is_dense(cast(Memref, type)):
                raise cannot_bufferize(op, "only memrefs with an identity layout", op.memref)
        case _ if isinstance(op, VIEW_OPS):
            views_of(op)
        case _:
            pass


def _check_structured(op: Operation) -> None:
    tensors = [is_tensor(value) for value in op.operands]
    memrefs = [isinstance(value.type, MemRefType) for value in op.operands]
    if any(tensors) and any(memrefs):
        raise cannot_bufferize(op, "it has tensors and memrefs")
    for inner in (inner for region in op.regions for inner in region.walk()):
        touched = [value for value in (*inner.operands, *inner.results) if is_tensor(value)]
        for value in touched:
            _check_value(inner, value)
        if touched and not isinstance(inner, tensor.ExtractOp | tensor.DimOp):
            raise cannot_bufferize(inner, f"no rule for this operation inside {op.name}")


def _check_value(op: Operation, value: SSAValue) -> None:
    if isinstance(value.type, UnrankedTensorType):
        raise cannot_bufferize(op, "an unranked tensor", value)
    if not is_tensor(value):
        return
    type = cast(Tensor, value.type)
    if not is_static(type.get_shape()):
        raise cannot_bufferize(op, "a tensor has a size that is known at run time only", value)
    size = size_bytes(type)
    if size is None:
        raise cannot_bufferize(op, f"elements of type {type.element_type} have no size", value)
    if size > _MOST_BYTES:
        raise cannot_bufferize(op, f"a tensor of {size} bytes, more than 2^63 - 1", value)


def _blocks(region: Region) -> Iterator[Block]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            if isinstance(op, CONTROL_FLOW):
                for inner in op.regions:
                    yield from _blocks(inner)
