"""How a network is split: groups of layers, how each is cut, and what every tile reads."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from xdsl_memplan.model.narrowing_chains import NarrowingChain

Halo: TypeAlias = Literal["recompute", "cache", "shift"]
CutKind: TypeAlias = Literal["result", "sum"]
ResidencyKind: TypeAlias = Literal["fetched", "kept", "streamed", "resident"]


class LoopCut(NamedTuple):
    """One loop of a group's last operation, or of its last contraction, cut into tiles."""

    kind: CutKind
    """`result`: a dimension of the result. `sum`: a loop that a contraction adds up."""
    op: int
    """Position of the contraction, or of the operation whose result is cut. The search names the
    tensor that is cut instead."""
    loop: int
    """The dimension, or the loop."""
    size: int
    """Iterations per tile; the last one may be smaller."""
    lead: int
    """Tiles before the first, in which earlier operations run ahead."""
    halo: Halo
    """`cache`: a tile keeps what the next one needs again. `recompute`: it is computed again.
    `shift`: it is too, and tiles at the ends compute as much as the others, further inside."""
    head: int = 1
    """So many tiles at the start are one."""
    tail: int = 1
    """So many tiles at the end are one."""


class Residency(NamedTuple):
    """How a tensor from outside of a group comes to the chip."""

    tensor: int
    kind: ResidencyKind
    """`fetched` when it changes, `kept` throughout, `streamed` slice by slice to its only reader,
    `resident` before the group starts."""
    slices: int


class GroupCost(NamedTuple):
    """What a group costs; all numbers are whole."""

    traffic: int
    """Bytes moved to and from the chip."""
    peak: int
    """Bytes on chip at the most."""
    work: int
    """Multiply-adds."""
    transfers: int
    """Number of moves."""
    tiles: int


class LayerGroup(NamedTuple):
    """Consecutive layers that are computed tile by tile."""

    first_layer: int
    last_layer: int
    cuts: tuple[LoopCut, ...]
    """Outermost first; none if the group is computed whole."""
    starts_on_chip: bool
    """Whether what the group before made is read on chip."""
    ends_on_chip: bool
    """Whether its own result stays there."""
    residencies: tuple[Residency, ...]
    cost: GroupCost
    is_sliced: bool
    """Whether chains that narrow run slice by slice, as there is no room for their wide tensors."""
    joined_views: tuple[int, ...] = ()
    """Views of tensors from outside that are part of the group: what they show is fetched as one
    box. Other views of such tensors stay outside, and each is fetched."""


class Span(NamedTuple):
    """A range of indices: the same in all tiles, or following a cut."""

    driven: bool
    first: int
    """First index, or number of the cut."""
    second: int
    """One past the last index, or number of the track."""


class Track(NamedTuple):
    """The ranges of one dimension or loop over the tiles of a cut."""

    new: tuple[tuple[int, int], ...]
    """What a tile computes; empty where both numbers are equal."""
    keep: tuple[int, ...]
    """First index still needed in a tile or later, one entry more than tiles; empty if no tile
    keeps anything."""

    def overlap(self, tile: int) -> tuple[int, int]:
        """The range kept from before a tile; empty where both numbers are equal."""
        if not self.keep or tile == 0 or tile > len(self.new):
            return (0, 0)
        end = self.new[tile - 1][1]
        start = min(self.keep[tile], end)
        return (start, end)

    @property
    def keeps_anything(self) -> bool:
        """Whether anything is kept between two tiles."""
        return any(stop > start for start, stop in map(self.overlap, range(1, len(self.new))))


class Fetch(NamedTuple):
    """A tensor from outside, as it comes to the chip."""

    tensor: int
    level: int
    """Number of cuts that it follows, up to the innermost."""
    kind: ResidencyKind
    reader: int
    """The only reader, if it is streamed."""
    along: int
    """The loop of the reader that is sliced."""
    slices: int


@dataclass(frozen=True)
class GroupLayout:
    """A group laid out: which boxes every tile computes, in which order."""

    sequence: tuple[tuple[int, int], ...]
    """Operations that run, in the order of the loop nest, with the number of cuts around each."""
    loops: dict[int, tuple[Span, ...]]
    """Ranges of the loops of each operation that runs."""
    tensors: dict[int, tuple[Span, ...]]
    """Ranges of the dimensions of each tensor that is made or read."""
    tracks: tuple[tuple[Track, ...], ...]
    """Tracks of each cut."""
    fetches: tuple[Fetch, ...]
    cost: GroupCost
    code: int
    """Operators that are written down, views left out: tiles that look alike are one loop."""
    operations: int
    """Operations of the IR that these are about, those in bodies and moves among them."""
    sliced: tuple[NarrowingChain, ...]
    """Chains that run slice by slice, each where its last operation is in the sequence."""
    over: tuple[tuple[int, int], ...]
    """Pairs of a result and a tensor from outside of which each tile has read what it writes, so
    that the result may take its room if nobody reads it later."""

    def tiles(self, cut: int) -> int:
        """Number of tiles of a cut."""
        return len(self.tracks[cut][0].new)
