"""The records of xDSL's own operations, and of those that only traits describe."""

from typing import cast

from xdsl.dialects import arith, bufferization, cf, func, scf, tensor
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from xdsl_memplan.analysis.memref_layout import Memref, is_dense
from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import destinations_of, effects_of
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.transforms.bufferize import emit_boundary as emit_b
from xdsl_memplan.transforms.bufferize import emit_control_flow as emit_c
from xdsl_memplan.transforms.bufferize import emit_moves as emit_m
from xdsl_memplan.transforms.bufferize import emit_slices as emit_s
from xdsl_memplan.transforms.bufferize import place_boundary as place_b
from xdsl_memplan.transforms.bufferize import place_control_flow as place_c
from xdsl_memplan.transforms.bufferize import place_moves as place_m
from xdsl_memplan.transforms.bufferize import place_slices as place_s
from xdsl_memplan.transforms.bufferize.constants import check_constant
from xdsl_memplan.transforms.bufferize.emit_structured import (
    emit_by_traits,
    emit_elementwise,
    emit_structured,
)
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import is_structured, is_tensor
from xdsl_memplan.transforms.bufferize.place_structured import place_elementwise, place_structured
from xdsl_memplan.transforms.bufferize.records import OperationRecord, register, registered
from xdsl_memplan.transforms.bufferize.tensor_views import VIEW_OPS, slice_of, views_of


def check_structured(op: Operation) -> None:
    """Tensors or memrefs, not both; in the body only single elements of tensors."""
    operands = op.operands
    if any(map(is_tensor, operands)) and any(type(v.type) is MemRefType for v in operands):
        raise cannot_bufferize(op, "it has tensors and memrefs")
    for inner in operations_in(op)[1:]:
        if not isinstance(inner, tensor.ExtractOp | tensor.DimOp) and (
            any(map(is_tensor, inner.operands)) or any(map(is_tensor, inner.results))
        ):
            raise cannot_bufferize(inner, f"no rule for this operation inside {op.name}")


def check_by_traits(op: Operation) -> None:
    """Every tensor result has a destination, and there is no region."""
    tied = {tie.result for tie in destinations_of(op)}
    for result in op.results:
        if is_tensor(result) and result.index not in tied:
            raise cannot_bufferize(op, "DestinationTrait names no destination for a result", result)
    if op.regions:
        raise cannot_bufferize(op, "it has a region: register an OperationRecord for it")


def _check_tensor_constant(op: Operation) -> None:
    assert isinstance(op, arith.ConstantOp)
    if is_tensor(op.result):
        check_constant(op)


def _check_pad(op: Operation) -> None:
    assert isinstance(op, tensor.PadOp)
    place_s.pad_interior(op)
    place_s.pad_value(op)


def _check_insert_slice(op: Operation) -> None:
    assert isinstance(op, tensor.InsertSliceOp)
    slice_of(op, place_s.shape_of(op.source))


def _check_dense_memref(op: Operation) -> None:
    assert isinstance(op, bufferization.ToTensorOp | bufferization.ToBufferOp)
    type = op.memref.type
    if not isinstance(type, MemRefType) or not is_dense(cast(Memref, type)):
        raise cannot_bufferize(op, "only memrefs with an identity layout", op.memref)


def _check_views(op: Operation) -> None:
    views_of(op)


def _has_copy(op: Operation) -> bool:
    return isinstance(op, bufferization.AllocTensorOp) and op.copy is not None


def _all_but_over(op: Operation) -> tuple[bool, ...]:
    assert isinstance(op, CarryOp)
    read = len(op.operands) - (op.over is not None)
    return tuple(position < read for position in range(len(op.operands)))


def _no_contents(op: Operation) -> tuple[bool, ...]:
    return (False,) * len(op.operands)


_STRUCTURED = OperationRecord(
    place_structured, emit_structured, check=check_structured, writes_anywhere=True
)
_ELEMENTWISE = OperationRecord(place_elementwise, emit_elementwise, writes_anywhere=True)
_BY_TRAITS = OperationRecord(
    place_structured, emit_by_traits, check=check_by_traits, writes_anywhere=True
)
_VIEW = OperationRecord(emit=emit_b.emit_view, check=_check_views)
_UNSTRUCTURED = OperationRecord(place_b.unstructured, None)
_BRANCHES = OperationRecord(place_c.place_branches, emit_c.emit_branches, writes_anywhere=True)

_TABLE: dict[type[Operation], OperationRecord] = {
    **dict.fromkeys(VIEW_OPS, _VIEW),
    tensor.EmptyOp: OperationRecord(reads=_no_contents),
    tensor.DimOp: OperationRecord(emit=emit_b.emit_dim, reads=_no_contents),
    tensor.ExtractOp: OperationRecord(emit=emit_b.emit_extract),
    tensor.SplatOp: OperationRecord(),
    arith.ConstantOp: OperationRecord(emit=emit_b.emit_constant, check=_check_tensor_constant),
    tensor.PadOp: OperationRecord(
        place_s.place_pad,
        emit_s.emit_pad,
        check=_check_pad,
        writes_anywhere=True,
        assembles=True,
    ),
    tensor.ConcatOp: OperationRecord(
        place_s.place_concat, emit_s.emit_concat, writes_anywhere=True, assembles=True
    ),
    tensor.InsertSliceOp: OperationRecord(
        place_s.place_insert_slice,
        emit_s.emit_insert_slice,
        check=_check_insert_slice,
        writes_anywhere=True,
        reads=lambda op: (True,) * len(op.operands),
        assembles=True,
    ),
    tensor.InsertOp: OperationRecord(
        place_b.place_insert,
        emit_b.emit_insert,
        writes_anywhere=True,
        reads=lambda op: (True,) * len(op.operands),
    ),
    tensor.FromElementsOp: OperationRecord(
        place_b.place_from_elements, emit_b.emit_from_elements, writes_anywhere=True
    ),
    bufferization.ToTensorOp: OperationRecord(
        place_b.place_to_tensor, emit_b.emit_to_tensor, check=_check_dense_memref
    ),
    bufferization.ToBufferOp: OperationRecord(
        emit=emit_b.emit_to_buffer, check=_check_dense_memref, needs_dense=True
    ),
    bufferization.MaterializeInDestinationOp: OperationRecord(
        place_b.place_materialize,
        emit_b.emit_materialize,
        writes_anywhere=True,
        reads=lambda op: (True,) * len(op.operands),
        needs_dense=True,
    ),
    bufferization.AllocTensorOp: OperationRecord(
        place_b.place_alloc_tensor, emit_b.emit_alloc_tensor, writes_anywhere=_has_copy
    ),
    SpillOp: OperationRecord(place_m.place_spill, emit_m.emit_move),
    RetrieveOp: OperationRecord(place_m.place_retrieve, emit_m.emit_move, writes_anywhere=True),
    LoadOp: OperationRecord(
        place_m.place_region_copy, emit_m.emit_region_copy, writes_anywhere=True
    ),
    CarryOp: OperationRecord(
        place_m.place_region_copy,
        emit_m.emit_region_copy,
        writes_anywhere=True,
        reads=_all_but_over,
    ),
    StoreOp: OperationRecord(place_m.place_store, emit_m.emit_store, writes_anywhere=True),
    func.CallOp: OperationRecord(place_b.place_call, emit_b.emit_call, needs_dense=True),
    func.ReturnOp: OperationRecord(place_b.place_return, emit_b.emit_return, needs_dense=True),
    scf.ForOp: OperationRecord(place_c.place_for, emit_c.emit_for, writes_anywhere=True),
    scf.WhileOp: OperationRecord(place_c.place_while, emit_c.emit_while, writes_anywhere=True),
    scf.IfOp: _BRANCHES,
    scf.IndexSwitchOp: _BRANCHES,
    scf.ExecuteRegionOp: _BRANCHES,
    scf.ParallelOp: OperationRecord(place_c.place_body, emit_c.emit_body),
    scf.YieldOp: OperationRecord(emit=emit_c.emit_yield),
    scf.ConditionOp: OperationRecord(emit=emit_c.emit_condition),
    cf.BranchOp: _UNSTRUCTURED,
    cf.ConditionalBranchOp: _UNSTRUCTURED,
    cf.SwitchOp: _UNSTRUCTURED,
}

for _class, _record in _TABLE.items():
    register(_class, _record)


def record_of(op: Operation) -> OperationRecord | None:
    """The record of an operation; None if it has nothing to do with tensors, and stays.

    One that nobody registered is handled by its traits: as a structured operation of `linalg`, as
    arithmetic on every element, or by `DestinationTrait` and `ReadsWritesTrait`.

    Raises PassFailedException for an operation on tensors that nothing is known about.
    """
    record = registered(op)
    if record is not None:
        return record
    if is_structured(op.__class__):
        return _STRUCTURED if op.results or _touches_tensors(op) else None
    if not _touches_tensors(op):
        return None
    if is_elementwise(op):
        return _ELEMENTWISE
    if destinations_of(op) and effects_of(op) is not None:
        return _BY_TRAITS
    if op.name == GroupOp.name:
        raise cannot_bufferize(op, "a group is no tiles yet: run memplan-expand-groups first")
    raise cannot_bufferize(
        op,
        "no rule for this operation on tensors; attach DestinationTrait and ReadsWritesTrait, or "
        "register an OperationRecord",
    )


def writes_anywhere(op: Operation) -> bool:
    """Tell whether the results of an operation can be written to any place."""
    record = record_of(op)
    if record is None:
        return False
    anywhere = record.writes_anywhere
    return anywhere if isinstance(anywhere, bool) else anywhere(op)


def _touches_tensors(op: Operation) -> bool:
    if any(map(is_tensor, op.operands)) or any(map(is_tensor, op.results)):
        return True
    return bool(op.regions) and any(
        any(map(is_tensor, inner.operands)) or any(map(is_tensor, inner.results))
        for inner in operations_in(op)
    )
