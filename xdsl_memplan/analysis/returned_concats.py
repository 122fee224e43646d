"""Concatenations that only put together what is returned: parts can be stored where they lie."""

from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import ConcatOp
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import aliases_of
from xdsl_memplan.dialects.tiling_models.tile_values import (
    is_remade,
    shape_of,
    static_shape,
    tile_type,
)


def has_returned_concat(module: ModuleOp) -> bool:
    """Tell whether some block of a function of a module has a `returned_concats`; linear."""
    functions = (op for op in operations_in(module) if isinstance(op, FuncOp))
    return any(returned_concats(block) for function in functions for block in function.body.blocks)


def is_only_returned(value: SSAValue) -> bool:
    """Tell whether nobody but a return reads a value, once."""
    return isinstance(value.get_user_of_unique_use(), ReturnOp)


def returned_concats(block: Block) -> list[ConcatOp]:
    """List the concatenations that nobody but the return of a block reads, once.

    Each of their parts is computed by the block, and is in no other of them. Nobody looks up single
    elements of a part, for which it would have to be a tensor of its own. Linear.
    """
    found: list[ConcatOp] = []
    parts: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, ConcatOp) and is_only_returned(op.results[0]):
            if parts.isdisjoint(op.operands) and all(_may_be_part(v, op) for v in op.operands):
                parts.update(op.operands)
                found.append(op)
    return found


def _may_be_part(value: SSAValue, concat: ConcatOp) -> bool:
    whole = concat.results[0]
    is_static = static_shape(value) is not None and static_shape(whole) is not None
    if not is_static or tile_type(value.type, shape_of(whole)) != whole.type:
        return False
    users = [use.operation for use in value.uses]
    is_read_whole = all(
        user is concat or (not isinstance(user, ReturnOp) and user.name != "tensor.extract")
        for user in users
    )
    return is_read_whole and users.count(concat) == 1 and _is_computed(value, concat.parent)


def _is_computed(value: SSAValue, block: Block | None) -> bool:
    """Tell whether an operation of the block computes a tensor, or what it shows in another shape.

    A slice of what is computed would be stored beside that, and its maker tiled for both.
    """
    while True:
        owner = value.owner
        if not isinstance(owner, Operation) or owner.parent is not block or is_remade(value):
            return False
        if owner.name == "arith.constant":
            return False
        ties = aliases_of(owner)
        if not ties:
            return True
        shown, value = value, owner.operands[ties[0].operand]
        if prod(shape_of(shown)) != prod(shape_of(value)):
            return False
