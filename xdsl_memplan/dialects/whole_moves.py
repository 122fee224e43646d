"""Tensors that are loaded, or stored off chip, as a whole, in room of their own."""

from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, SSAValue

from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp


def whole_load(value: SSAValue) -> LoadOp:
    """Return the operation that loads all of a tensor; the result has its name."""
    shape = cast(TensorType[Attribute], value.type).get_shape()
    load = LoadOp(value, [0] * len(shape), shape)
    load.result.name_hint = value.name_hint
    return load


def whole_store(value: SSAValue, arena: str) -> tuple[EmptyOp, StoreOp]:
    """Return the operations that store all of a tensor in a memory."""
    type_ = cast(TensorType[Attribute], value.type)
    room = EmptyOp((), type_)
    return room, StoreOp(value, room.tensor, arena, [0] * type_.get_num_dims())


def is_whole_store(op: StoreOp) -> bool:
    """Tell whether an operation stores all of a tensor, and nothing is there before."""
    return op.source.type == op.result.type and isinstance(op.destination.owner, EmptyOp)
