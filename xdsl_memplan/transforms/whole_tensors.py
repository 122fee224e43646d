"""Whether operations surely do not fit a memory as a whole, told from their types alone."""

from xdsl.dialects.bufferization import ToTensorOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade
from xdsl_memplan.transforms.bufferize.place_boundary import writable_arguments


def is_surely_larger(module: ModuleOp, capacity_bytes: int) -> bool:
    """Tell whether some tensor needs more bytes of the first memory in any order.

    It is one that a structured operation makes and that only such operations read, so that it is in
    no memory of a caller, and no part of another. Nothing may be unread (`memplan-trim`). If False
    is returned all may or may not fit. Linear.
    """
    return any(
        _is_for_operations_alone(result) and (size_bytes(result.type) or 0) > capacity_bytes
        for function in module.body.ops
        if isinstance(function, FuncOp) and not _may_write_outside(function)
        for block in function.body.blocks
        for op in block.ops
        if isinstance(op, LinalgStructuredOperation)
        for result in op.results
    )


def _may_write_outside(function: FuncOp) -> bool:
    """Tell whether results may be written over what the caller has."""
    return bool(writable_arguments(function)) or any(
        isinstance(op, ToTensorOp) for block in function.body.blocks for op in block.ops
    )


def _is_for_operations_alone(value: SSAValue) -> bool:
    uses = list(value.uses)
    return (
        bool(uses)
        and not is_remade(value)
        and all(_is_input(use.operation, use.index) for use in uses)
    )


def _is_input(op: Operation, index: int) -> bool:
    return isinstance(op, LinalgStructuredOperation) and index < input_count(op)
