"""Whether memory allocated in a loop body is still needed when the next iteration allocates again.

Dynamic allocation gives every iteration memory of its own. One address for all of them is only the
same if an iteration is done with what its predecessor handed on before it touches its own. With
several copies that iterations take in turn, it has to be done with what it got from as many
iterations before.
"""

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation, SSAValue

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.logical_time import Loop


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
                first, _ = self._accesses.get(value, (tick, tick))
                self._accesses[value] = (first, tick)

    def clashes(self, allocation: SSAValue, copies: int = 1) -> bool:
        """Tell whether so many addresses would do harm.

        Linear in the aliases of ``allocation``, times ``copies``. Only loops around the allocation
        allocate again; what others hand on is not made anew. Iterations of the innermost loop take
        the copies in turn; an iteration of a loop around that one may begin with any.
        """
        around = self._loops_around(allocation)
        if not around:
            return False
        own = reached = self._closure([allocation], across_iterations=False)
        same_copy: set[SSAValue] = set()
        for _ in range(copies):
            next_ = self._handed_on_by(reached, around)
            inner = {value for value in next_ if self._loops.get(value.block) is around[0]}
            same_copy |= next_ - inner
            reached = self._closure(inner, across_iterations=False)
            if not reached:
                break
        older = self._closure(same_copy | reached, across_iterations=True)
        first = min((self._accesses[v][0] for v in own if v in self._accesses), default=None)
        last = max((self._accesses[v][1] for v in older if v in self._accesses), default=None)
        return first is not None and last is not None and last >= first

    def _handed_on_by(self, values: Iterable[SSAValue], around: list[Loop]) -> set[BlockArgument]:
        return {
            argument
            for value in values
            for argument in self._handed_on.get(value, ())
            if self._loops.get(argument.block) in around
        }

    def _loops_around(self, value: SSAValue) -> list[Loop]:
        owner = value.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        loop = self._loops.get(block) if block is not None else None
        around: list[Loop] = []
        while loop is not None:
            around.append(loop)
            loop = loop.parent
        return around

    def _closure(self, start: Iterable[SSAValue], *, across_iterations: bool) -> set[SSAValue]:
        stack = list(start)
        found = set(stack)
        while stack:
            value = stack.pop()
            following = list(self._derived.get(value, ()))
            if across_iterations:
                following += self._handed_on.get(value, ())
            for other in following:
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return found
