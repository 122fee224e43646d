"""Casts of a tensor to a type of which less is known, and back."""

from xdsl.dialects.tensor import CastOp
from xdsl.ir import SSAValue


def read_before_casts(op: CastOp) -> None:
    """Let what reads a cast read the tensor that had the same type before, and erase what is left.

    What has the type in between has no size that anybody knows, and no tiles. Without casts of
    casts nothing changes.
    """
    value: SSAValue | None = op.source
    while value is not None and value.type != op.dest.type:
        value = value.owner.source if isinstance(value.owner, CastOp) else None
    if value is None:
        return
    op.dest.replace_all_uses_with(value)
    unread: SSAValue = op.dest
    while isinstance(unread.owner, CastOp) and unread.first_use is None:
        cast = unread.owner
        unread = cast.source
        cast.detach()
        cast.erase()
