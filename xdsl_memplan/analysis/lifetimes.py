"""Lifetimes: the ticks at which the contents of a tensor or buffer are needed.

A lifetime is half-open, from the tick that first writes to one past the tick that last reads. It
covers every access through an alias. What is defined outside a loop and touched inside lives
through the loop: its contents must survive into the next iteration. What a loop hands from one
iteration to the next lives through the loop as well. Returned values live to the end of the
function; arguments and constants are there from tick 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.aliases import Aliases, aliases_of_module
from xdsl_memplan.analysis.logical_time import LogicalTime
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.storage_type import is_storage
from xdsl_memplan.model.lifetime import Lifetime

_Interval = tuple[int, int]


@dataclass
class FunctionLifetimes:
    """Aliases, time and lifetimes of one function. Build it with `lifetimes_of`."""

    function: FuncOp
    aliases: Aliases
    time: LogicalTime
    _needed: dict[SSAValue, _Interval]
    """Ticks at which a value is used, its own aliases included; no entry if it never is."""

    @property
    def end(self) -> int:
        """One past the last tick of the function."""
        return self.time.end

    def tick(self, op: Operation) -> int | None:
        """Return the tick of an operation; None if it takes no time or spans several."""
        return self.time.ticks.get(op)

    def lifetime(self, value: SSAValue) -> Lifetime:
        """Return the lifetime of the bytes of ``value``: the hull of the lifetimes of its roots.

        It is empty if the bytes are never needed.
        """
        found = [needed for root in self.aliases.roots(value) if (needed := self._needed.get(root))]
        if not found:
            start = self._definition(value)
            return Lifetime(start, start)
        return Lifetime(min(start for start, _ in found), max(end for _, end in found))

    def needed(self, value: SSAValue) -> Lifetime | None:
        """Return the ticks at which ``value`` and what derives from it is used; None if never."""
        interval = self._needed.get(value)
        return Lifetime(*interval) if interval else None

    def values(self) -> Iterator[SSAValue]:
        """Iterate over the tensors and memrefs of the function, arguments of blocks included."""
        blocks = (b for outer in self.function.body.blocks for b in outer.walk_blocks())
        for block in blocks:
            yield from (a for a in block.args if is_storage(a.type))
            for op in block.ops:
                yield from (r for r in op.results if is_storage(r.type))

    def _definition(self, value: SSAValue) -> int:
        """Return the next tick where a value that is never needed is defined."""
        owner = value.owner
        if isinstance(owner, Block):
            loop = self.time.loops.get(owner)
            return loop.start if loop else 0
        return self.time.reached(owner)


def lifetimes_of(module: ModuleOp) -> dict[FuncOp, FunctionLifetimes]:
    """Analyse every function of ``module`` that has a body, callees first.

    Linear in the size of the module, times the depth of its loops. Raises PassFailedException for
    recursion, and for tensors or memrefs in unstructured control flow.
    """
    result: dict[FuncOp, FunctionLifetimes] = {}
    for function, aliases in aliases_of_module(module).items():
        time = LogicalTime.of(aliases)
        collector = _Collector(function, aliases, time)
        collector.run()
        result[function] = FunctionLifetimes(function, aliases, time, collector.needed)
    return result


class _Collector:
    """Gathers the uses of every value, then moves them along the alias edges to the roots."""

    def __init__(self, function: FuncOp, aliases: Aliases, time: LogicalTime) -> None:
        self.function = function
        self.aliases = aliases
        self.time = time
        self.needed: dict[SSAValue, _Interval] = {}

    def run(self) -> None:
        self.touch_operations()
        self.touch_returned()
        self.follow_aliases()
        self.begin_before_the_function()

    def touch_operations(self) -> None:
        aliases, needed, all_effects = self.aliases, self.needed, self.time.effects
        for op, tick in self.time.ticks.items():
            block = op.parent
            effects = all_effects.get(op)
            for i, value in enumerate(op.operands):
                if effects is None or effects.operands[i]:
                    touched = aliases.tracked(value)
                else:
                    touched = aliases.is_address(value)
                if touched:
                    self.extend(value, tick, tick + 1, block)
            for result in op.results:
                # Making an alias writes nothing, making a fresh tensor does.
                if aliases.tracked(result) and result not in aliases.sources:
                    needed[result] = (tick, tick + 1)

    def touch_returned(self) -> None:
        last = self.function.body.blocks[-1].last_op
        if last is None or kind_of(last) is not Kind.FORWARD:
            return
        # What nobody has written yet, the caller may write: it needs a place of its own, too.
        end = max(self.time.end, 1)
        for value in last.operands:
            if self.aliases.tracked(value):
                self.extend(value, end - 1, end, last.parent)

    def follow_aliases(self) -> None:
        """Hand intervals from values to their sources until nothing changes."""
        edges, carried = self.aliases.sources, self.aliases.carried
        work = list(edges)  # Popped from the back: users before what they use.
        waiting = set(work)
        while work:
            value = work.pop()
            waiting.discard(value)
            interval = self.needed.get(value)
            if interval is None:
                continue
            block = block_of(value)
            changed = [s for s in edges[value] if self.extend(s, *interval, block)]
            for source in carried.get(value, ()):
                loop = self.time.loops[block] if block else None
                assert loop is not None
                whole = (min(interval[0], loop.start), max(interval[1], loop.end))
                if self.extend(source, *whole, block):
                    changed.append(source)
            for source in changed:
                if source in edges and source not in waiting:
                    waiting.add(source)
                    work.append(source)

    def begin_before_the_function(self) -> None:
        entry = self.function.body.blocks[0]
        for value, (_, end) in self.needed.items():
            owner = value.owner
            if owner is entry or (isinstance(owner, Operation) and kind_of(owner) is Kind.CONSTANT):
                self.needed[value] = (0, end)

    def extend(self, value: SSAValue, start: int, end: int, user: Block | None) -> bool:
        """Note a use of ``value`` in the block ``user``; say whether that was news."""
        loop = self.time.outermost_loop_between(user, block_of(value))
        if loop is not None:
            start, end = min(start, loop.start), max(end, loop.end)
        old = self.needed.get(value)
        new = (start, end) if old is None else (min(start, old[0]), max(end, old[1]))
        if new == old:
            return False
        self.needed[value] = new
        return True


def block_of(value: SSAValue) -> Block | None:
    """Return the block that a value is defined in."""
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner
