"""Which rule places the results of which operation."""

from xdsl.dialects import arith, bufferization, cf, func, scf, tensor
from xdsl.ir import Operation

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.transforms.bufferize import place_boundary as boundary
from xdsl_memplan.transforms.bufferize import place_control_flow as control_flow
from xdsl_memplan.transforms.bufferize import place_slices as slices
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import STRUCTURED, is_tensor
from xdsl_memplan.transforms.bufferize.place_structured import place_elementwise, place_structured
from xdsl_memplan.transforms.bufferize.placement import Rule, Rules
from xdsl_memplan.transforms.bufferize.tensor_views import VIEW_OPS

_TABLE: dict[type[Operation], Rule] = {
    **dict.fromkeys(VIEW_OPS, boundary.no_place),
    tensor.EmptyOp: boundary.no_place,
    tensor.DimOp: boundary.no_place,
    tensor.ExtractOp: boundary.no_place,
    tensor.SplatOp: boundary.no_place,
    arith.ConstantOp: boundary.no_place,
    tensor.PadOp: slices.place_pad,
    tensor.ConcatOp: slices.place_concat,
    tensor.InsertSliceOp: slices.place_insert_slice,
    tensor.InsertOp: boundary.place_insert,
    tensor.FromElementsOp: boundary.place_from_elements,
    bufferization.ToTensorOp: boundary.place_to_tensor,
    bufferization.ToBufferOp: boundary.no_place,
    bufferization.MaterializeInDestinationOp: boundary.place_materialize,
    bufferization.AllocTensorOp: boundary.place_alloc_tensor,
    SpillOp: boundary.place_move,
    RetrieveOp: boundary.place_move,
    func.CallOp: boundary.place_call,
    func.ReturnOp: boundary.place_return,
    scf.ForOp: control_flow.place_for,
    scf.WhileOp: control_flow.place_while,
    scf.IfOp: control_flow.place_branches,
    scf.IndexSwitchOp: control_flow.place_branches,
    scf.ExecuteRegionOp: control_flow.place_branches,
    scf.ParallelOp: control_flow.place_body,
    scf.YieldOp: boundary.no_place,
    scf.ConditionOp: boundary.no_place,
    cf.BranchOp: boundary.unstructured,
    cf.ConditionalBranchOp: boundary.unstructured,
    cf.SwitchOp: boundary.unstructured,
}

_ANYWHERE = (
    *STRUCTURED,
    tensor.PadOp,
    tensor.ConcatOp,
    tensor.InsertSliceOp,
    tensor.InsertOp,
    tensor.FromElementsOp,
    bufferization.AllocTensorOp,
    bufferization.MaterializeInDestinationOp,
    scf.ForOp,
    scf.WhileOp,
    scf.IfOp,
    scf.IndexSwitchOp,
    scf.ExecuteRegionOp,
)


def find_rule(op: Operation) -> Rule | None:
    """The rule for an operation; None if it has nothing to do with tensors.

    Raises PassFailedException for an operation on tensors that nothing is known about.
    """
    rule = _TABLE.get(type(op))
    if rule is not None:
        return rule
    if isinstance(op, STRUCTURED):
        return place_structured
    if not _touches_tensors(op):
        return None
    if is_elementwise(op):
        return place_elementwise
    raise cannot_bufferize(op, "no rule for this operation on tensors")


def writes_anywhere(op: Operation) -> bool:
    """Tell whether the results of an operation can be written to any place."""
    if isinstance(op, bufferization.AllocTensorOp):
        return op.copy is not None
    return isinstance(op, _ANYWHERE) or is_elementwise(op)


RULES = Rules(find_rule, writes_anywhere)


def _touches_tensors(op: Operation) -> bool:
    if any(is_tensor(value) for value in (*op.operands, *op.results)):
        return True
    return bool(op.regions) and any(
        is_tensor(value)
        for inner in op.walk()
        if inner is not op
        for value in (*inner.operands, *inner.results)
    )
