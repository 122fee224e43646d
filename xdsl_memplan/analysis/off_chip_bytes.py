"""The bytes that the moves of a function bring on chip and off it, as the tensor IR says."""

from xdsl.dialects import scf, tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp


def off_chip_bytes(function: FuncOp) -> int | None:
    """Sum up loads, stores, spills and retrieves, each as often as the loops around it run; linear.

    This is `total` of `memplan.traffic`, which `memplan-verify` compares with the copies that are
    left after bufferization. To bring in a tensor whose elements are all the same costs nothing: it
    is filled where it is needed. To write one off chip costs its bytes.

    Returns:
        None where a move is in a branch, or in a loop of which nobody knows how often it runs.
    """
    total = 0
    uniforms = Uniforms()
    for op in operations_in(function):
        if not isinstance(op, LoadOp | StoreOp | SpillOp | RetrieveOp):
            continue
        if isinstance(op.source.owner, tensor.EmptyOp):
            continue
        if not isinstance(op, StoreOp) and uniforms.of(op.source) is not None:
            continue
        times = _executions(op, function)
        if times is None:
            return None
        type_ = op.source.type if isinstance(op, StoreOp) else op.result.type
        total += times * (size_bytes(type_) or 0)
    return total


def _executions(op: Operation, function: FuncOp) -> int | None:
    count = 1
    parent = op.parent_op()
    while parent is not None and parent is not function:
        times = _trip_count(parent)
        if times is None:
            return None
        count *= times
        parent = parent.parent_op()
    return count


def _trip_count(op: Operation) -> int | None:
    if not isinstance(op, scf.ForOp):
        return None
    first, end, step = (integer_constant(value) for value in (op.lb, op.ub, op.step))
    if first is None or end is None or step is None or step <= 0:
        return None
    return max(0, -((first - end) // step))
