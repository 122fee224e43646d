"""The bytes that the moves of a function bring on chip and off it, as the tensor IR says."""

from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp

from xdsl_memplan.analysis.executions import executions
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp


def off_chip_bytes(function: FuncOp) -> int | None:
    """Sum up loads, stores, spills and retrieves, each as often as the loops around it run; linear.

    With what is looked up off chip this is `total` of `memplan.traffic`, which `memplan-verify`
    compares with the copies that are left after bufferization. To bring in a tensor whose elements
    are all the same costs nothing: it is filled where it is needed. To write one off chip costs its
    bytes.

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
        times = executions(op, function)
        if times is None:
            return None
        type_ = op.source.type if isinstance(op, StoreOp) else op.result.type
        total += times * (size_bytes(type_) or 0)
    return total
