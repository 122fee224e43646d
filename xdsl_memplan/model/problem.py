"""What is to be planned: buffers, how they conflict, and the memory they go to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from xdsl_memplan.model.lifetime import Lifetime

Int64Array = NDArray[np.int64]


@dataclass(frozen=True)
class Pool:
    """One memory: a name, a capacity in bytes (None: no limit), and the address of offset 0."""

    name: str = "memory"
    capacity: int | None = None
    base_address: int = 0


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

    Raises ValueError where lengths differ; everything else is checked by the core when it plans.
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
    """(buffer, offset in bytes) of buffers whose place is given."""
    gaps: Sequence[tuple[int, int, int]] = ()
    """(buffer, start, end): ticks at which a buffer is idle."""
    conflict_relation: Literal["lifetimes", "pairs"] = "lifetimes"
    """Whether lifetimes say what conflicts (and `conflict_pairs` add to it), or only the pairs."""
    conflict_pairs: Int64Array | None = None
    """Pairs of buffers that must not share bytes, shape (m, 2)."""
    pools: Sequence[Pool] = field(default_factory=lambda: (Pool(),))
    candidates: Sequence[tuple[int, int]] = ()
    """(buffer, pool) in order of preference; a buffer without any goes to the first pool."""

    def __post_init__(self) -> None:
        """Check that the arrays belong together."""
        n = len(self.sizes)
        others = (
            self.starts,
            self.ends,
            self.sizes if self.alignments is None else self.alignments,
        )
        if any(len(array) != n for array in others) or (self.ids and len(self.ids) != n):
            raise ValueError(f"sizes has {n} entries, the other arrays differ")

    @classmethod
    def from_buffers(
        cls, buffers: Iterable[Buffer], *, capacity: int | None = None, base_address: int = 0
    ) -> "Problem":
        """Build a problem for one memory.

        Raises OverflowError for numbers outside 64 bits.
        """
        listed = list(buffers)
        return cls(
            sizes=np.array([b.size for b in listed], dtype=np.int64),
            starts=np.array([b.lifetime.start for b in listed], dtype=np.int64),
            ends=np.array([b.lifetime.end for b in listed], dtype=np.int64),
            alignments=np.array([b.alignment for b in listed], dtype=np.int64),
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

    def id_of(self, buffer: int) -> str:
        """Return the name of a buffer for messages."""
        return self.ids[buffer] if self.ids else str(buffer)
