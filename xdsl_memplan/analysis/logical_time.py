"""Logical time: a number for every operation of a function that reads or writes contents."""

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, Region
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.aliases import Aliases, check_structured
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.dialects.interfaces import Effects, ReadsWritesTrait
from xdsl_memplan.dialects.queries import effects_of, storage_of, trait_of


@dataclass(eq=False)
class Loop:
    """A loop, with the ticks ``[start, end)`` of one iteration."""

    op: Operation
    parent: "Loop | None"
    depth: int
    start: int
    end: int = 0


@dataclass
class LogicalTime:
    """The ticks of one function in the order of the file.

    Views, constants, empty tensors, allocations, casts and shape arithmetic take no time. Regions
    of control flow are numbered one after another; any other operation with regions is one tick,
    whatever is read inside.
    """

    ticks: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Operations that take time; those inside an operation of one tick share its tick."""
    loops: dict[Block, Loop | None] = field(default_factory=dict[Block, Loop | None])
    """The innermost loop around every block."""
    effects: dict[Operation, Effects | None] = field(
        default_factory=dict[Operation, Effects | None]
    )
    """What operations with a tick access; None for one that may read and write all it is given."""
    end: int = 0
    """One past the last tick."""
    _reached: dict[Operation, int] = field(default_factory=dict[Operation, int])

    @classmethod
    def of(cls, aliases: Aliases) -> "LogicalTime":
        """Number the operations of a function; linear.

        Raises PassFailedException for tensors or memrefs in unstructured control flow.
        """
        time = cls()
        time._number_region(aliases.function.body, None, aliases)
        return time

    def span(self, op: Operation) -> tuple[int, int]:
        """Return the ticks ``[start, end)`` from the first to the last inside an operation.

        Empty if it takes no time. Linear in the size of ``op``.
        """
        inner = [tick for o in op.walk() if (tick := self.ticks.get(o)) is not None]
        return (min(inner), max(inner) + 1) if inner else (0, 0)

    def reached(self, op: Operation) -> int:
        """Return the tick that is next when ``op`` is reached: its own, or a later operation's."""
        around: Operation | None = op
        while around is not None and around not in self._reached:
            around = around.parent_op()
        return 0 if around is None else self._reached[around]

    def outermost_loop_between(self, user: Block | None, definition: Block | None) -> Loop | None:
        """Return the outermost loop around a use that is not around the definition."""
        if user is definition or user is None or definition is None:
            return None
        inner, outer = self.loops.get(user), self.loops.get(definition)
        depth = outer.depth if outer else 0
        if inner is None or inner.depth <= depth:
            return None
        while inner.depth > depth + 1:
            assert inner.parent is not None
            inner = inner.parent
        return inner

    def _number_region(self, region: Region, loop: Loop | None, aliases: Aliases) -> None:
        for block in region.blocks:
            self.loops[block] = loop
            for op in block.ops:
                self._reached[op] = self.end
                self._number(op, block, loop, aliases)

    def _number(self, op: Operation, block: Block, loop: Loop | None, aliases: Aliases) -> None:
        match kind_of(op):
            case Kind.SEQUENCE:
                for region in op.regions:
                    self._number_region(region, loop, aliases)
            case Kind.LOOP | Kind.PARALLEL_LOOP:
                inner = Loop(op, loop, loop.depth + 1 if loop else 1, self.end)
                for region in op.regions:
                    self._number_region(region, inner, aliases)
                inner.end = self.end
            case Kind.PLAIN:
                if self._touch(op, loop, aliases):
                    check_structured(block, op)
                    self.end += 1
                elif op.successors and any(map(aliases.tracked, op.operands)):
                    check_structured(block, op)
            case Kind.CALL:
                check_structured(block, op)
                self._touch(op, loop, aliases)
                self.ticks[op] = self.end
                self.end += 1
            case Kind.FORWARD:
                if any(map(aliases.tracked, op.operands)):
                    check_structured(block, op)
            case _:
                pass

    def _touch(self, op: Operation, loop: Loop | None, aliases: Aliases) -> bool:
        """Note all accesses of ``op`` and inside it at the present tick; say if there are any."""
        if not op.regions and not aliases.tracks_any(op):
            return False  # Scalar arithmetic, the bulk of a file.
        effects = effects_of(op)
        if effects is None and not op.regions and storage_of(op) is not None:
            # Making storage touches no contents, but who is given others may.
            if not any(map(aliases.tracked, op.operands)):
                return False
        if effects is None:
            if trait_of(op, ReadsWritesTrait) is not None:
                raise PassFailedException(
                    f"{describe_op(op)}: cannot be planned, it uses memory in a way or at a time "
                    "that it does not tell"
                )
            touches = True
        else:
            # Who has the address of a buffer may access it.
            touches = effects.takes_time or (
                any(map(aliases.is_address, op.operands))
                and trait_of(op, ReadsWritesTrait) is None
                and not is_side_effect_free(op)
            )
        if touches:
            self.ticks[op] = self.end
            self.effects[op] = effects
        for region in op.regions:
            for block in region.blocks:
                self.loops[block] = loop
                for inner in block.ops:
                    touches |= self._touch(inner, loop, aliases)
        return touches
