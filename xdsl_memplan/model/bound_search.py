"""A search of its own for the fewest bytes that must move: bounds of traffic are checked with it.

It shares no code with the Rust core and none of its preparation: operators are not glued, states
are sets of tensors as integers, and the order of expansion is by bytes moved alone. What makes it
small enough is said, with its reason, where it is done.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise

from xdsl_memplan.model.graph import Graph


@dataclass(frozen=True)
class SearchedBound:
    """What a search proved."""

    bytes: int
    """Every schedule moves at least so much."""
    is_least: bool
    """Whether so much is enough, as far as capacity goes."""
    states: int
    """States expanded."""


def least_moved(
    graph: Graph,
    operators: Collection[int],
    capacity: int,
    max_states: int,
    order: Sequence[int] | None = None,
) -> SearchedBound:
    """Bound the bytes that any schedule moves of what ``operators`` make, and read alone.

    A schedule of the whole graph, looked at while these operators run, is one of them alone: other
    tensors count only beside the operators that use them. So bounds of disjoint sets of operators
    add up. Inputs and parameters count where all their readers are among the operators. Addresses
    are left out. With ``order``, a list of all operators, only that order is looked at.

    Exponential at worst; ends at ``max_states`` with what is proved by then.

    Raises ValueError if ``capacity``, in bytes, is less than one of the operators needs.
    """
    if any(graph.footprint(op) > capacity for op in operators):
        raise ValueError(f"an operator needs more than {capacity} bytes")
    search = _Search(_Part.of(graph, operators, order), capacity)
    return search.run(max_states)


@dataclass(frozen=True)
class _Part:
    """Operators by position, sets of tensors as integers: one bit for each that is followed."""

    size: list[int]
    """Bytes of each followed tensor."""
    readers: list[int]
    """Operators that read each, as a set."""
    clean: int
    """Tensors that are off chip from the start, or will be in any case."""
    reads: list[int]
    makes: list[int]
    besides: list[int]
    """Bytes that each operator uses of tensors that are not followed."""
    before: list[int]
    """Operators that each must come after, as a set."""

    @classmethod
    def of(cls, graph: Graph, operators: Collection[int], order: Sequence[int] | None) -> "_Part":
        chosen = sorted(set(operators))
        position = {op: i for i, op in enumerate(chosen)}
        made_by: dict[int, int] = {}
        read_by: dict[int, set[int]] = {}
        for i, op in enumerate(graph.operators):
            for tensor in op.outputs:
                made_by[tensor] = i
            for tensor in op.inputs:
                read_by.setdefault(tensor, set()).add(i)
        bit: dict[int, int] = {}
        for tensor, readers in sorted(read_by.items()):
            is_whole = tensor not in made_by and readers.issubset(position)
            is_made = made_by.get(tensor) in position and not readers.isdisjoint(position)
            if graph.tensors[tensor].size and (is_whole or is_made):
                bit[tensor] = len(bit)

        def followed(tensors: Sequence[int]) -> int:
            return sum(1 << bit[tensor] for tensor in set(tensors) if tensor in bit)

        before = [0] * len(chosen)
        pairs = [
            (made_by[t], op) for op in chosen for t in graph.operators[op].inputs if t in made_by
        ]
        pairs += [*graph.edges, *(() if order is None else pairwise(order))]
        for first, then in pairs:
            if first in position and then in position:
                before[position[then]] |= 1 << position[first]
        kinds = [graph.tensors[tensor] for tensor in bit]
        return cls(
            [tensor.size for tensor in kinds],
            [sum(1 << position[op] for op in read_by[t] if op in position) for t in bit],
            sum(1 << i for i, t in enumerate(kinds) if t.is_source or t.kind == "output"),
            [followed(graph.operators[op].inputs) for op in chosen],
            [followed(graph.operators[op].outputs) for op in chosen],
            [
                sum(
                    graph.tensors[t].size
                    for t in {*graph.operators[op].inputs, *graph.operators[op].outputs}
                    if t not in bit
                )
                for op in chosen
            ],
            before,
        )


_State = tuple[int, int, int]
"""Operators that have run, tensors on chip, and which of these have no copy off chip."""


@dataclass
class _Search:
    part: _Part
    capacity: int
    best: dict[int, list[tuple[int, int, int]]] = field(
        default_factory=dict[int, list[tuple[int, int, int]]]
    )
    """By the operators that have run: bytes moved, tensors on chip, those without a copy."""

    def run(self, max_states: int) -> SearchedBound:
        """Go by bytes moved, paid when a tensor leaves: it is written, if it must be, and read."""
        everything = (1 << len(self.part.reads)) - 1
        open_states: list[tuple[int, int, int, _State]] = [(0, 0, 0, (0, 0, 0))]
        self.best[0] = [(0, 0, 0)]
        states = entered = 0
        while open_states:
            cost, _, _, state = heappop(open_states)
            run, here, dirty = state
            if run == everything:
                return SearchedBound(cost, True, states)
            if (cost, here, dirty) not in self.best[run]:
                continue
            if states == max_states:
                return SearchedBound(cost, False, states)
            states += 1
            for more, child in self.children(state):
                if self.enter(cost + more, child):
                    entered += 1
                    depth = child[0].bit_count()
                    heappush(open_states, (cost + more, -depth, entered, child))
        raise ValueError("the operators wait for each other")

    def children(self, state: _State) -> Iterator[tuple[int, _State]]:
        """The states after one more operator, with the bytes moved for it."""
        part = self.part
        run = state[0]
        ready = [
            op
            for op, before in enumerate(part.before)
            if not run >> op & 1 and before & run == before
        ]
        for op in ready:
            if self.is_harmless(state, op):
                yield 0, self.after(state, op, 0)
                return
        for op in ready:
            needed = state[1] | part.reads[op] | part.makes[op]
            excess = self.bytes(needed) + part.besides[op] - self.capacity
            may_leave = state[1] & ~part.reads[op]
            for leaving in self.choices(state, may_leave, excess):
                yield self.price(leaving, state[2]), self.after(state, op, leaving)

    def after(self, state: _State, op: int, leaving: int) -> _State:
        run, here, dirty = state
        run |= 1 << op
        here = (here & ~leaving) | self.part.reads[op] | self.part.makes[op]
        here &= ~self.dead(here, run)
        return run, here, (dirty | self.part.makes[op] & ~self.part.clean) & here

    def dead(self, tensors: int, run: int) -> int:
        """Those of some tensors that nobody will read."""
        readers = self.part.readers
        return sum(1 << t for t in _bits(tensors) if readers[t] & run == readers[t])

    def is_harmless(self, state: _State, op: int) -> bool:
        """Whether an operator can run now in any schedule at no cost.

        All it reads is on chip and it fits. What it leaves behind is one tensor, no larger than any
        that dies with it: wherever one of those would have been kept until the operator's turn, its
        result can be, and where all of them would have left, the result can leave for no more.
        """
        run, here, dirty = state
        part = self.part
        reads, makes = part.reads[op], part.makes[op]
        needed = self.bytes(here | makes) + part.besides[op]
        if reads & ~here or needed > self.capacity:
            return False
        dying = self.dead(reads, run | 1 << op)
        left = makes & ~self.dead(makes, run)
        if not left:
            return True
        if left & (left - 1) or not dying:
            return False
        size = self.bytes(left)
        if any(part.size[t] < size for t in _bits(dying)):
            return False
        return bool(dirty & dying or left & part.clean or self.bytes(dying) >= 2 * size)

    def choices(self, state: _State, may_leave: int, excess: int) -> Iterator[int]:
        """The sets of tensors that free enough, none of which could stay.

        Of tensors of one size, with one price and the same readers to come, the first leave first.
        """
        if excess <= 0:
            yield 0
            return
        run, _, dirty = state
        part = self.part
        kinds: dict[tuple[int, int, int], list[int]] = {}
        for t in _bits(may_leave):
            kind = (part.size[t], dirty >> t & 1, part.readers[t] & ~run)
            kinds.setdefault(kind, []).append(t)
        # Large ones first: whatever comes last in a set is then its smallest, and the one to ask.
        listed = sorted(kinds.items(), key=lambda entry: -entry[0][0])
        room = [0]
        for kind, tensors in reversed(listed):
            room.append(room[-1] + kind[0] * len(tensors))
        room.reverse()

        def extend(at: int, rest: int, chosen: int, smallest: int) -> Iterator[int]:
            if rest <= 0:
                if rest + smallest > 0:
                    yield chosen
                return
            if at == len(listed) or room[at] < rest:
                return
            size, tensors = listed[at][0][0], listed[at][1]
            taken = chosen
            for count in range(len(tensors) + 1):
                yield from extend(at + 1, rest - count * size, taken, size if count else smallest)
                if rest - count * size <= 0:
                    return
                if count < len(tensors):
                    taken |= 1 << tensors[count]

        yield from extend(0, excess, 0, 0)

    def enter(self, cost: int, state: _State) -> bool:
        """Keep a state unless another one of the same operators beats it."""
        run, here, dirty = state
        rivals = self.best.setdefault(run, [])
        if any(self.beats(rival, (cost, here, dirty)) for rival in rivals):
            return False
        rivals[:] = [rival for rival in rivals if not self.beats((cost, here, dirty), rival)]
        rivals.append((cost, here, dirty))
        return True

    def beats(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
        """Whether `one` can become `other`, or better: what only it holds leaves, at its price.

        What it lacks is paid for. A tensor that only `other` has a copy of may cost one more write.
        """
        if one[0] > other[0]:
            return False
        leaving, rewritten = one[1] & ~other[1], one[2] & other[1] & ~other[2]
        return one[0] + self.price(leaving, one[2]) + self.bytes(rewritten) <= other[0]

    def price(self, leaving: int, dirty: int) -> int:
        return self.bytes(leaving) + self.bytes(leaving & dirty)

    def bytes(self, tensors: int) -> int:
        return sum(self.part.size[t] for t in _bits(tensors))


def _bits(of: int) -> Iterator[int]:
    while of:
        lowest = of & -of
        yield lowest.bit_length() - 1
        of ^= lowest
