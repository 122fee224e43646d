"""A base for `BufferLikeTrait`s that keep lifetime and offset in discardable attributes."""

from abc import ABC
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64
from xdsl.ir import Operation

from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memplan import LIFETIMES, OFFSET, LifetimeAttr
from xdsl_memplan.model.lifetime import Lifetime


@dataclass(frozen=True)
class AnnotatedBuffer(BufferLikeTrait, ABC):
    """Storage whose operation has no place of its own for lifetime and offset.

    Size, alignment and memory space are left to say.
    """

    def get_lifetime(self, op: Operation) -> Lifetime | None:
        """The only entry of `memplan.lifetimes`."""
        match op.attributes.get(LIFETIMES):
            case ArrayAttr(data=(LifetimeAttr() as lifetime,)):
                return lifetime.lifetime
            case _:
                return None

    def set_lifetime(self, op: Operation, lifetime: Lifetime) -> None:
        """Write `memplan.lifetimes`."""
        op.attributes[LIFETIMES] = ArrayAttr([LifetimeAttr.of(lifetime)])

    def get_offset(self, op: Operation) -> int | None:
        """The attribute `memplan.offset`."""
        offset = op.attributes.get(OFFSET)
        return offset.value.data if isinstance(offset, IntegerAttr) else None

    def set_offset(self, op: Operation, offset: int) -> None:
        """Write `memplan.offset`."""
        op.attributes[OFFSET] = IntegerAttr(offset, i64)
