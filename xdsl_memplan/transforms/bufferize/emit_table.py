"""What rewrites which operation."""

from xdsl.dialects import arith, bufferization, func, scf, tensor
from xdsl.ir import Operation

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.transforms.bufferize import emit_boundary as boundary
from xdsl_memplan.transforms.bufferize import emit_control_flow as control_flow
from xdsl_memplan.transforms.bufferize import emit_slices as slices
from xdsl_memplan.transforms.bufferize.emission import Emit
from xdsl_memplan.transforms.bufferize.emit_structured import emit_elementwise, emit_structured
from xdsl_memplan.transforms.bufferize.liveness import STRUCTURED, is_tensor
from xdsl_memplan.transforms.bufferize.tensor_views import VIEW_OPS

_TABLE: dict[type[Operation], Emit] = {
    **dict.fromkeys(VIEW_OPS, boundary.emit_view),
    tensor.EmptyOp: boundary.emit_nothing,
    tensor.DimOp: boundary.emit_dim,
    tensor.ExtractOp: boundary.emit_extract,
    tensor.SplatOp: boundary.emit_nothing,
    arith.ConstantOp: boundary.emit_constant,
    tensor.PadOp: slices.emit_pad,
    tensor.ConcatOp: slices.emit_concat,
    tensor.InsertSliceOp: slices.emit_insert_slice,
    tensor.InsertOp: boundary.emit_insert,
    tensor.FromElementsOp: boundary.emit_from_elements,
    bufferization.ToTensorOp: boundary.emit_to_tensor,
    bufferization.ToBufferOp: boundary.emit_to_buffer,
    bufferization.MaterializeInDestinationOp: boundary.emit_materialize,
    bufferization.AllocTensorOp: boundary.emit_alloc_tensor,
    SpillOp: boundary.emit_move,
    RetrieveOp: boundary.emit_move,
    func.CallOp: boundary.emit_call,
    func.ReturnOp: boundary.emit_return,
    scf.ForOp: control_flow.emit_for,
    scf.WhileOp: control_flow.emit_while,
    scf.IfOp: control_flow.emit_branches,
    scf.IndexSwitchOp: control_flow.emit_branches,
    scf.ExecuteRegionOp: control_flow.emit_branches,
    scf.ParallelOp: control_flow.emit_body,
    scf.YieldOp: control_flow.emit_yield,
    scf.ConditionOp: control_flow.emit_condition,
}


def find_emit(op: Operation) -> Emit | None:
    """What rewrites an operation; None if it stays as it is."""
    emit = _TABLE.get(type(op))
    if emit is not None:
        return emit
    if isinstance(op, STRUCTURED):
        return emit_structured if op.results else None
    if any(is_tensor(result) for result in op.results) and is_elementwise(op):
        return emit_elementwise
    return None
