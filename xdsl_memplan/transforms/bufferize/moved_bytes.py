"""Bytes that moves bring on chip and off it, as the tensor IR says, noted on the function."""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import TOTAL, TRAFFIC, RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp
from xdsl_memplan.transforms.bufferize.placement import Placement


def note_moved_bytes(placement: Placement) -> None:
    """Write the total of a function with loads or stores, unless it is written already.

    Nothing is written where a move is in a branch, or in a loop of which nobody knows how often it
    runs. Linear.
    """
    function = placement.function
    attribute = function.attributes.get(TRAFFIC)
    known = dict(attribute.data) if isinstance(attribute, DictionaryAttr) else {}
    moves = [
        op
        for op in placement.liveness.position
        if op in placement.liveness.live and isinstance(op, LoadOp | StoreOp | SpillOp | RetrieveOp)
    ]
    if TOTAL in known or not any(isinstance(op, LoadOp | StoreOp) for op in moves):
        return
    total = 0
    for op in moves:
        times = _executions(op, function)
        if times is None:
            return
        total += times * _moved(placement, op)
    known[TOTAL] = IntegerAttr(total, i64)
    function.attributes[TRAFFIC] = DictionaryAttr(known)


def _moved(placement: Placement, op: LoadOp | StoreOp | SpillOp | RetrieveOp) -> int:
    if placement.uniforms.of(op.source) is not None:
        return 0  # It is filled where it is needed.
    type_ = op.source.type if isinstance(op, StoreOp) else op.result.type
    return size_bytes(type_) or 0


def _executions(op: Operation, function: Operation) -> int | None:
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
    first, end, step = (_constant(value) for value in (op.lb, op.ub, op.step))
    if first is None or end is None or step is None or step <= 0:
        return None
    return max(0, -((first - end) // step))


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return None
    return op.value.value.data
