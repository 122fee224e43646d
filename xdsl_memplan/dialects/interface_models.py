"""Ready-made traits for `interfaces.attach`: the shapes that most operations have."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from xdsl_memplan.dialects.interfaces import (
    Access,
    AliasingTrait,
    DestinationTrait,
    Effects,
    ReadsWritesTrait,
    Tie,
    has_contents,
)


@dataclass(frozen=True)
class NoAccess(ReadsWritesTrait):
    """Contents are not touched: views, casts, shapes, empties, constants, control flow."""

    def effects(self, op: Operation) -> Effects:
        """`NONE` for every operand and result."""
        return Effects((Access.NONE,) * len(op.operands), (Access.NONE,) * len(op.results))


@dataclass(frozen=True)
class FixedAccess(ReadsWritesTrait):
    """The first operands and results are accessed as listed; indices and sizes are not."""

    operands: tuple[Access, ...] = ()
    results: tuple[Access, ...] = ()

    def effects(self, op: Operation) -> Effects:
        """The lists, filled up with `NONE`."""
        return Effects(
            _padded(self.operands, len(op.operands)), _padded(self.results, len(op.results))
        )


@dataclass(frozen=True)
class UnknownAccess(ReadsWritesTrait):
    """Not to be planned: the contents are used in a way, or at a time, that the operation hides."""

    def effects(self, op: Operation) -> None:
        """None."""
        return


@dataclass(frozen=True)
class MayAccessAll(ReadsWritesTrait):
    """Operands are read, memrefs perhaps written too, and results are written (calls)."""

    def effects(self, op: Operation) -> Effects:
        """`READ` for tensors, `READ_WRITE` for memrefs, `WRITE` for results."""
        operands = tuple(
            Access.READ_WRITE
            if isinstance(type, MemRefType)
            else Access.READ
            if has_contents(type)
            else Access.NONE
            for type in op.operand_types
        )
        results = (Access.WRITE if has_contents(type) else Access.NONE for type in op.result_types)
        return Effects(operands, tuple(results))


@dataclass(frozen=True)
class ViewOf(AliasingTrait):
    """The first result is (part of) the storage of one operand."""

    operand: int = 0

    def aliases(self, op: Operation) -> Sequence[Tie]:
        """One tie."""
        return (Tie(0, self.operand),)


@dataclass(frozen=True)
class NoAlias(AliasingTrait):
    """No result is storage of an operand or an address in it: sizes, ranks, copies."""

    def aliases(self, op: Operation) -> Sequence[Tie]:
        """No ties."""
        return ()


@dataclass(frozen=True)
class MayAliasAny(AliasingTrait):
    """Every memref result may be the storage of any memref operand.

    With `of_any_type` every result may be that of any operand, as in casts between memrefs,
    tensors, pointers and integers.
    """

    of_any_type: bool = False

    def aliases(self, op: Operation) -> Sequence[Tie]:
        """All pairs."""
        return tuple(
            Tie(result, operand)
            for result, result_type in enumerate(op.result_types)
            if self.of_any_type or _is_memref(result_type)
            for operand, operand_type in enumerate(op.operand_types)
            if self.of_any_type or _is_memref(operand_type)
        )


@dataclass(frozen=True)
class WritesInto(DestinationTrait):
    """The first result, if there is one, can be written into one operand."""

    operand: int

    def destinations(self, op: Operation) -> Sequence[Tie]:
        """One tie; none for an operation on memrefs, which has no result."""
        return (Tie(0, self.operand),) if op.results else ()


def _is_memref(type: object) -> bool:
    return isinstance(type, MemRefType)


def _padded(accesses: tuple[Access, ...], length: int) -> tuple[Access, ...]:
    return (accesses + (Access.NONE,) * length)[:length]
