"""Whether memory allocated in a loop body is still needed when a later iteration uses its own.

Dynamic allocation gives every iteration memory of its own. One address for all of them is only the
same if what an iteration has handed on is done with before a later one touches its own. With
several copies that iterations take in turn, that holds for iterations so far apart. The same goes
for memory that a callee returns: every call has it at the same place.
"""

from collections.abc import Iterable

from xdsl.dialects.func import CallOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, block_of
from xdsl_memplan.analysis.logical_time import Loop

_Ticks = tuple[int, int] | None


class LoopReuse:
    """Answers the question for the values of one function; set up in linear time."""

    def __init__(self, lifetimes: FunctionLifetimes) -> None:
        """Turn the alias edges around and find what every value's own accesses are."""
        self._aliases = lifetimes.aliases
        self._loops = lifetimes.time.loops
        self._derived: dict[SSAValue, list[SSAValue]] = {}
        self._handed_on: dict[SSAValue, list[BlockArgument]] = {}
        self._accesses: dict[SSAValue, tuple[int, int]] = {}
        if not self._aliases.carried:
            return
        for value, sources in self._aliases.sources.items():
            for source in sources:
                self._derived.setdefault(source, []).append(value)
        for argument, sources in self._aliases.carried.items():
            assert isinstance(argument, BlockArgument)
            for source in sources:
                self._handed_on.setdefault(source, []).append(argument)
        for op, tick in lifetimes.time.ticks.items():
            for value in op.operands:
                # A loop touches what is from outside again and again.
                loop = lifetimes.time.outermost_loop_between(op.parent, block_of(value))
                self._note(value, *((loop.start, loop.end - 1) if loop else (tick, tick)))
            for result in op.results if isinstance(op, CallOp) else ():
                self._note(result, tick, tick)
        last = lifetimes.function.body.blocks[-1].last_op
        for value in last.operands if last is not None else ():
            self._note(value, lifetimes.end, lifetimes.end)

    def _note(self, value: SSAValue, first: int, last: int) -> None:
        old_first, old_last = self._accesses.get(value, (first, last))
        self._accesses[value] = (min(first, old_first), max(last, old_last))

    def clashes(self, allocation: SSAValue, copies: int = 1) -> bool:
        """Tell whether so many addresses would do harm.

        Linear in the aliases of ``allocation``, times the values that loops around it carry. Only
        those loops allocate again; what others hand on is not made anew. Iterations of the
        innermost loop take the copies in turn; those of a loop around that one may begin with any.
        """
        around = self._loops_around(allocation)
        return any(
            self._clashes_in(allocation, loop, around[i:], copies if i == 0 else 1)
            for i, loop in enumerate(around)
        )

    def _clashes_in(
        self, allocation: SSAValue, loop: Loop, around: list[Loop], copies: int
    ) -> bool:
        """Compare what iterations of one loop made; it is ``age`` iterations old in ages[age].

        Harm is done if something at least ``copies`` iterations older is touched when the newer one
        has been: in the same iteration or behind the loop, in any later iteration, or in a later
        one of a loop around it. What is carried on for more iterations than the loop has values for
        is of any age.
        """
        by_age = self._by_age(allocation, loop, around)
        ages = [self._accesses_of(values) for values in by_age]
        if by_age[-1] and len(by_age) > 1 and any(ages[-self._carried_by(loop) - 1 :]):
            return True
        for age, newer in enumerate(ages):
            if newer is None:
                continue
            in_loop = loop.start <= newer[0] < loop.end
            for older in range(age + copies, len(ages)):
                ticks = ages[older]
                if ticks is None:
                    continue
                if ticks[1] >= newer[0] or (in_loop and older > age + copies):
                    return True
        touched = [age for age, ticks in enumerate(ages) if ticks is not None]
        if not touched:
            return False
        kept = by_age[touched[0] + copies :]
        return any(self._is_touched_later(values, around[1:]) for values in kept)

    def _is_touched_later(self, values: Iterable[SSAValue], outer: list[Loop]) -> bool:
        """Tell whether an outer loop hands a value to an iteration that touches it."""
        handed = [value for loop in outer for value in self._next_age(values, loop)]
        stack, found = list(handed), set(handed)
        while stack:
            value = stack.pop()
            if value in self._accesses:
                return True
            for other in (*self._derived.get(value, ()), *self._handed_on.get(value, ())):
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return False

    def _by_age(self, allocation: SSAValue, loop: Loop, around: list[Loop]) -> list[set[SSAValue]]:
        """Return the values that may be what an iteration before allocated, by how many before."""
        ages = [self._closure([allocation], around)]
        most = 2 * self._carried_by(loop) + 1
        while ages[-1] and len(ages) <= most:
            ages.append(self._closure(self._next_age(ages[-1], loop), around))
        return ages

    def _carried_by(self, loop: Loop) -> int:
        return sum(self._loop_of(argument) is loop for argument in self._aliases.carried)

    def _next_age(self, values: Iterable[SSAValue], loop: Loop) -> set[SSAValue]:
        return {
            argument
            for value in values
            for argument in self._handed_on.get(value, ())
            if self._loop_of(argument) is loop
        }

    def _loop_of(self, argument: SSAValue) -> Loop | None:
        assert isinstance(argument, BlockArgument)
        return self._loops.get(argument.block)

    def _loops_around(self, value: SSAValue) -> list[Loop]:
        owner = value.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        loop = self._loops.get(block) if block is not None else None
        around: list[Loop] = []
        while loop is not None:
            around.append(loop)
            loop = loop.parent
        return around

    def _closure(self, start: Iterable[SSAValue], around: list[Loop]) -> set[SSAValue]:
        """All that derives from values without another iteration of the loops ``around``."""
        stack = list(start)
        found = set(stack)
        while stack:
            value = stack.pop()
            following = list(self._derived.get(value, ()))
            following += [
                argument
                for argument in self._handed_on.get(value, ())
                if self._loop_of(argument) not in around
            ]
            for other in following:
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def _accesses_of(self, values: set[SSAValue]) -> _Ticks:
        found = [self._accesses[value] for value in values if value in self._accesses]
        return (min(f for f, _ in found), max(last for _, last in found)) if found else None
