"""Places of tensors that come from memrefs, go to memrefs, or are made element by element."""

from typing import cast

from xdsl.dialects import bufferization, func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import Memref, Tensor, dense_memref, is_dense
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.place import Place, Storage
from xdsl_memplan.transforms.bufferize.placement import Placement

WRITABLE = ("memplan.writable", "bufferization.writable")
"""Attributes of function arguments that may be written."""


def writable_arguments(function: func.FuncOp) -> frozenset[int]:
    """The arguments that are marked as ones the function may write."""
    attributes = function.arg_attrs
    if attributes is None:
        return frozenset()
    return frozenset(
        index
        for index, marks in enumerate(attributes.data)
        if any(_is_true(marks.data.get(name)) for name in WRITABLE)
    )


def place_arguments(placement: Placement) -> None:
    """Arguments are in memrefs of the caller, to be written only if they are marked."""
    writable = writable_arguments(placement.function)
    entry = placement.function.body.blocks[0]
    for index, argument in enumerate(entry.args):
        if is_tensor(argument):
            type = dense_memref(cast(Tensor, argument.type))
            place = _external(type, entry, argument, writable=index in writable)
            placement.places[argument] = place


def place_to_tensor(placement: Placement, op: Operation) -> None:
    """The tensor is in the memref, to be written only if the operation says so."""
    assert isinstance(op, bufferization.ToTensorOp)
    type = cast(Memref, op.memref.type)
    assert op.parent is not None
    writable = op.writable is not None
    placement.places[op.tensor] = _external(type, op.parent, op.memref, writable=writable)


def place_call(placement: Placement, op: Operation) -> None:
    """A result is in memory of the callee."""
    assert op.parent is not None
    for result in op.results:
        if is_tensor(result):
            type = dense_memref(cast(Tensor, result.type))
            placement.places[result] = _external(type, op.parent, result, writable=False)


def place_materialize(placement: Placement, op: Operation) -> None:
    """Offer the destination to the source, if nothing else can see it."""
    assert isinstance(op, bufferization.MaterializeInDestinationOp)
    if op.result is not None:
        placement.offer_storage(op.source, placement.result_place(op.result), op)
        return
    dest = op.dest
    function = placement.function
    if (
        isinstance(dest, BlockArgument)
        and dest.block is function.body.blocks[0]
        and dest.block is op.parent
        and isinstance(dest.type, MemRefType)
        and is_dense(cast(Memref, dest.type))
        and op.restrict is not None
        and dest.uses.get_length() == 1
    ):
        place = _external(cast(Memref, dest.type), dest.block, dest, writable=True)
        placement.offer_storage(op.source, place, op)


def place_alloc_tensor(placement: Placement, op: Operation) -> None:
    """Offer the new storage to the tensor that is copied."""
    assert isinstance(op, bufferization.AllocTensorOp)
    if op.copy is not None:
        placement.offer_storage(op.copy, placement.result_place(op.tensor), op)


def place_insert(placement: Placement, op: Operation) -> None:
    """Offer the place to the tensor that one element is inserted into."""
    place = placement.result_place(op.results[0])
    placement.offer_in_place(placement.heirs(op, 0, op.operands[1:2]), place, op)


def place_from_elements(placement: Placement, op: Operation) -> None:
    """A storage that the elements are written to; none if they are all the same."""
    if placement.uniforms.of(op.results[0]) is None:
        placement.result_place(op.results[0])


def unstructured(placement: Placement, op: Operation) -> None:
    """Refuse branches between blocks."""
    raise cannot_bufferize(op, "tensors in unstructured control flow; use scf instead of branches")


def place_return(placement: Placement, op: Operation) -> None:
    """Results are returned from where they are."""
    assert isinstance(op, func.ReturnOp)


def _external(type: Memref, block: Block, memref: SSAValue, *, writable: bool) -> Place:
    return Place(Storage(type, block, memref, writable=writable), (), type)


def _is_true(attribute: Attribute | None) -> bool:
    return attribute is not None and str(attribute) not in ("false", "0 : i1")
