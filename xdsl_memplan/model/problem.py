"""What is to be planned: buffers, how they conflict, and the memory they go to."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

import numpy as np

from xdsl_memplan.model.integers import (
    Int64Array,
    checked_integer,
    int64_array,
    int64_pairs,
    integer_rows,
)
from xdsl_memplan.model.lifetime import Lifetime


@dataclass(frozen=True)
class Pool:
    """One memory: a name, a capacity in bytes (None: no limit), and the address of offset 0.

    Raises ValueError where they are not integers in 0 .. 2^63 - 1.
    """

    name: str = "memory"
    capacity: int | None = None
    base_address: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no number of bytes."""
        if self.capacity is not None:
            capacity = checked_integer(self.capacity, f"the capacity of {self.name}", least=0)
            object.__setattr__(self, "capacity", capacity)
        base = checked_integer(self.base_address, f"the base address of {self.name}", least=0)
        object.__setattr__(self, "base_address", base)


@dataclass(frozen=True)
class Source:
    """The file that a problem was read from, for messages."""

    file: str
    lines: Sequence[int]
    """Line of each buffer, from 1, shape (n,)."""


@dataclass(frozen=True)
class Buffer:
    """One buffer, for problems that are small enough to be built object by object.

    Sizes, alignments and offsets are bytes; lifetimes and gaps are ticks.
    """

    id: str
    size: int
    lifetime: Lifetime
    alignment: int = 1
    offset: int | None = None
    """Offset that the plan must keep; None lets the planner choose."""
    gaps: tuple[Lifetime, ...] = ()
    """Times inside the lifetime at which the bytes may be used by others."""
    pools: tuple[int, ...] = ()
    """Pools it may go to, in order of preference; empty: the first."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Offset assignment for n buffers, as arrays.

    Raises ValueError with index and value for what is no integer of 64 bits (nothing is rounded or
    cut), where lengths differ, and for a buffer or pool that does not exist; what contradicts
    itself beyond that is refused by the core when it plans.
    """

    sizes: Int64Array
    """Bytes, shape (n,)."""
    starts: Int64Array
    """First tick of each lifetime, shape (n,)."""
    ends: Int64Array
    """One past the last tick of each lifetime, shape (n,)."""
    alignments: Int64Array | None = None
    """Bytes, shape (n,); None: all 1."""
    ids: Sequence[str] = ()
    """Names for messages and files; empty: the position."""
    fixed: Sequence[tuple[int, int]] = ()
    """(buffer, offset in bytes) of buffers whose place is given.

    One of no bytes may be anywhere: neither alignment nor capacity hold for it.
    """
    gaps: Sequence[tuple[int, int, int]] = ()
    """(buffer, start, end): ticks at which a buffer is idle."""
    conflict_relation: Literal["lifetimes", "pairs"] = "lifetimes"
    """Whether lifetimes say what conflicts (and `conflict_pairs` add to it), or only the pairs."""
    conflict_pairs: Int64Array | None = None
    """Pairs of buffers that must not share bytes, shape (m, 2)."""
    pools: Sequence[Pool] = field(default_factory=lambda: (Pool(),))
    candidates: Sequence[tuple[int, int]] = ()
    """(buffer, pool) in order of preference; a buffer without any goes to the first pool."""
    source: Source | None = None
    """Where it was read from."""

    def __post_init__(self) -> None:
        """Take integers as they are or refuse them, and check that the arrays belong together."""
        for name in ("sizes", "starts", "ends", "alignments"):
            values = getattr(self, name)
            if name != "alignments" or values is not None:
                object.__setattr__(self, name, int64_array(values, name))
        n = len(self.sizes)
        for name in ("starts", "ends", "alignments", "ids"):
            values = getattr(self, name)
            if values is not None and len(values) != n and (name != "ids" or len(values)):
                raise ValueError(f"sizes has {n} entries, {name} has {len(values)}")
        for name, width in (("fixed", 2), ("gaps", 3), ("candidates", 2)):
            rows = integer_rows(getattr(self, name), name, width)
            for i, row in enumerate(rows):
                if not 0 <= row[0] < n:
                    raise ValueError(f"{name}[{i}] names buffer {row[0]} of {n}")
            object.__setattr__(self, name, rows)
        for i, (_, offset) in enumerate(self.fixed):
            checked_integer(offset, f"fixed[{i}][1]", least=0)
        for i, (_, pool) in enumerate(self.candidates):
            if not 0 <= pool < len(self.pools):
                raise ValueError(f"candidates[{i}] names pool {pool} of {len(self.pools)}")
        if self.conflict_relation not in (known := ("lifetimes", "pairs")):
            relation = cast(object, self.conflict_relation)
            raise ValueError(f"conflict_relation is {relation!r}, not one of {', '.join(known)}")
        if self.conflict_pairs is not None:
            pairs = int64_pairs(self.conflict_pairs, "conflict_pairs")
            object.__setattr__(self, "conflict_pairs", pairs)
            for i in np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))[:1]:
                raise ValueError(f"conflict_pairs[{i}] is {pairs[i].tolist()}, of {n} buffers")

    @classmethod
    def from_buffers(
        cls, buffers: Iterable[Buffer], *, capacity: int | None = None, base_address: int = 0
    ) -> "Problem":
        """Build a problem for one memory.

        Raises ValueError as `Problem` does.
        """
        listed = list(buffers)
        return cls(
            sizes=int64_array([b.size for b in listed], "sizes"),
            starts=int64_array([b.lifetime.start for b in listed], "starts"),
            ends=int64_array([b.lifetime.end for b in listed], "ends"),
            alignments=int64_array([b.alignment for b in listed], "alignments"),
            ids=[b.id for b in listed],
            fixed=[(i, b.offset) for i, b in enumerate(listed) if b.offset is not None],
            gaps=[(i, gap.start, gap.end) for i, b in enumerate(listed) for gap in b.gaps],
            pools=(Pool(capacity=capacity, base_address=base_address),),
            candidates=[(i, pool) for i, b in enumerate(listed) for pool in b.pools],
        )

    def __len__(self) -> int:
        """Return the number of buffers."""
        return len(self.sizes)

    @property
    def capacity(self) -> int | None:
        """Capacity of the first pool in bytes."""
        return self.pools[0].capacity

    def with_capacity(self, capacity: int | None) -> "Problem":
        """Return the same problem with another capacity (bytes) of its first pool."""
        first = replace(self.pools[0], capacity=capacity)
        return replace(self, pools=(first, *self.pools[1:]))

    def id_of(self, buffer: int) -> str:
        """Return the name of a buffer, or its position where there are no names."""
        return self.ids[buffer] if self.ids else str(buffer)

    def live_spans(self) -> Iterator[tuple[int, int, int]]:
        """Yield (buffer, start, end): the ticks, half-open, at which a buffer needs its bytes.

        One for each buffer without gaps, and one more for each gap. n log n for many gaps of one.
        """
        gaps: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for buffer, start, end in self.gaps:
            gaps[buffer].append((start, end))
        lifetimes = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        for buffer, (start, end) in enumerate(lifetimes):
            for gap_start, gap_end in sorted(gaps.get(buffer, ())):
                yield buffer, start, gap_start
                start = gap_end
            yield buffer, start, end

    def describe(self, buffer: int) -> str:
        """Return a buffer as messages name it: its id, and the file and line it comes from."""
        if self.source is None:
            return self.id_of(buffer)
        return f"{self.id_of(buffer)} ({self.source.file}:{self.source.lines[buffer]})"
