"""Logical time: a number for every operation of a function that reads or writes contents."""

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, Region

from xdsl_memplan.analysis.aliases import Aliases, check_structured
from xdsl_memplan.analysis.op_kinds import Kind, kind_of

_TIMELESS = frozenset(
    {
        Kind.CONSTANT,
        Kind.ALLOCATION,
        Kind.EMPTY,
        Kind.VIEW,
        Kind.QUERY,
        Kind.ESCAPE,
        Kind.FORWARD,
    }
)


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
    end: int = 0
    """One past the last tick."""

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

    def _number_region(self, region: Region, loop: Loop | None, aliases: Aliases) -> None:
        for block in region.blocks:
            self.loops[block] = loop
            for op in block.ops:
                self._number(op, block, loop, aliases)

    def _number(self, op: Operation, block: Block, loop: Loop | None, aliases: Aliases) -> None:
        kind = kind_of(op)
        if kind is Kind.SEQUENCE:
            for region in op.regions:
                self._number_region(region, loop, aliases)
        elif kind is Kind.LOOP or kind is Kind.PARALLEL_LOOP:
            inner = Loop(op, loop, loop.depth + 1 if loop else 1, self.end)
            for region in op.regions:
                self._number_region(region, inner, aliases)
            inner.end = self.end
        elif kind in _TIMELESS:
            if kind is not Kind.QUERY and _has_tracked(op, aliases):
                check_structured(block, op)
            if kind is Kind.EMPTY and any(aliases.tracked(v) for v in op.operands):
                self._tick(op, loop, aliases)  # bufferization.alloc_tensor copy(...)
        elif kind is Kind.CALL or _touches(op, aliases):
            check_structured(block, op)
            self._tick(op, loop, aliases)
        # Scalar arithmetic ends up here and takes no time.

    def _tick(self, op: Operation, loop: Loop | None, aliases: Aliases) -> None:
        self.ticks[op] = self.end
        for region in op.regions:
            for block in (b for outer in region.blocks for b in outer.walk_blocks()):
                self.loops[block] = loop
                for inner in block.ops:
                    if kind_of(inner) not in _TIMELESS and _has_tracked(inner, aliases):
                        self.ticks[inner] = self.end
        self.end += 1


def _has_tracked(op: Operation, aliases: Aliases) -> bool:
    return any(map(aliases.tracked, op.operands)) or any(map(aliases.tracked, op.results))


def _touches(op: Operation, aliases: Aliases) -> bool:
    """Tell whether an operation, or one inside it, has to do with contents."""
    return _has_tracked(op, aliases) or any(
        _touches(inner, aliases) for r in op.regions for block in r.blocks for inner in block.ops
    )
