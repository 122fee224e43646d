"""What a function must be for bufferization; everything is checked before anything is changed."""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from xdsl_memplan.analysis.memref_layout import Tensor, is_static
from xdsl_memplan.analysis.trait_answers import check_answers
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import (
    is_control_flow,
    is_structured,
    is_tensor,
)
from xdsl_memplan.transforms.bufferize.stock_records import record_of

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
    # Every operand is a result or an argument, and was checked there.
    for value in op.results:
        _check_value(op, value)
    if op.regions and is_structured(type(op)):
        for inner in operations_in(op):
            for value in inner.results if inner is not op else ():
                _check_value(inner, value)
        for argument in (a for region in op.regions for block in region.blocks for a in block.args):
            _check_value(op, argument)
    check_answers(op)
    record = record_of(op)
    if record is not None:
        record.check(op)


def _check_value(op: Operation, value: SSAValue) -> None:
    if value.type.__class__ is UnrankedTensorType:
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
            if op.regions and is_control_flow(op.__class__):
                for inner in op.regions:
                    yield from _blocks(inner)
