"""Places: where the bytes of a tensor are, as a storage and a chain of views of it."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

from xdsl.ir import Attribute, Block, SSAValue

from xdsl_memplan.analysis.memref_layout import (
    Groups,
    Memref,
    Tensor,
    collapsed_type,
    dense_memref,
    expanded_type,
    subview_type,
)
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.transforms.bufferize.index_distance import index_distance

NEVER = 1 << 62
"""A position after everything."""


@dataclass(eq=False)
class Storage:
    """Bytes of their own. Compared by identity."""

    type: Memref
    block: Block
    """Where the buffer is made: all tensors in it are defined in this block, or below."""
    external: SSAValue | None = None
    """A memref that is there already, or a tensor argument that becomes one."""
    writable: bool = True
    arena: str | None = None
    """The arena of the buffer; None for the default one."""
    bound: "Storage | None" = None
    """Another storage that this one turned out to be."""

    @cached_property
    def size(self) -> int:
        """Bytes of the memref."""
        return size_bytes(self.type) or 0

    def resolve(self) -> "Storage":
        """The storage that this one was bound to in the end."""
        storage = self
        while storage.bound is not None:
            storage = storage.bound
        return storage


@dataclass(frozen=True)
class Slice:
    """View: part of a tensor; an offset is a number or an index value."""

    offsets: tuple[int | SSAValue, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    kept: tuple[int, ...]
    """The dimensions that remain; others have size 1 and are dropped."""

    def apply(self, memref: Memref) -> Memref:
        """The type of the slice."""
        starts = [o if isinstance(o, int) else None for o in self.offsets]
        return subview_type(memref, starts, self.sizes, self.strides, self.kept)

    def is_apart(self, other: "Slice") -> bool:
        """Tell whether two slices of the same tensor certainly have no element in common."""
        for dimension, (start, begin) in enumerate(zip(self.offsets, other.offsets, strict=True)):
            distance = index_distance(start, begin)
            if distance is not None:
                reach = (self.sizes[dimension] - 1) * self.strides[dimension]
                its_reach = (other.sizes[dimension] - 1) * other.strides[dimension]
                if reach < distance or its_reach < -distance:
                    return True
        return False


@dataclass(frozen=True)
class Expand:
    """View: dimension `i` becomes the dimensions `groups[i]` of `shape`."""

    groups: Groups
    shape: tuple[int, ...]

    def apply(self, memref: Memref) -> Memref:
        """The type with more dimensions."""
        return expanded_type(memref, self.groups, self.shape)


@dataclass(frozen=True)
class Collapse:
    """View: the dimensions `groups[i]` become dimension `i` of `shape`."""

    groups: Groups
    shape: tuple[int, ...]

    def apply(self, memref: Memref) -> Memref | None:
        """The type with fewer dimensions; None if they are not contiguous."""
        return collapsed_type(memref, self.groups, self.shape)


View: TypeAlias = Slice | Expand | Collapse


@dataclass(frozen=True)
class Place:
    """A storage and views of it, and when the bytes are free for a tensor to be put there.

    Positions are those of `liveness.Positions`.
    """

    storage: Storage
    views: tuple[View, ...]
    type: Memref
    occupants: tuple[tuple[SSAValue, int], ...] = ()
    """Tensors whose bytes may be there before, each with the position of its last access. An
    operation at this very position may write if it works in place."""
    known_from: int = -1
    """Position from which on the offsets of the views are known."""
    overwritten_at: int = NEVER
    """Position of the operation that writes something else there."""
    early: tuple[tuple["Place", int], ...] = ()
    """Parts of the storage where something else is written before, and from which position on."""

    def view(self, *views: View) -> "Place | None":
        """The place of a view; None if the layout does not allow it."""
        type = view_type(self.type, views)
        if type is None:
            return None
        # Not by `replace`, which takes several times as long.
        return Place(
            self.storage,
            (*self.views, *views),
            type,
            self.occupants,
            self.known_from,
            self.overwritten_at,
            self.early,
        )

    @property
    def free_from(self) -> int:
        """Position from which on the place may be written."""
        if not self.occupants:
            return self.known_from
        return max((self.known_from, *(last for _, last in self.occupants)))

    def occupied(self, tensor: SSAValue, last_access: int) -> "Place":
        """The place with another tensor there before."""
        return replace(self, occupants=(*self.occupants, (tensor, last_access)))

    def same_bytes(self, other: "Place") -> bool:
        """Tell whether two places are certainly the same elements in the same order."""
        return self.storage.resolve() is other.storage.resolve() and self.views == other.views

    def holds_until(self) -> int:
        """Position from which on something else may be written to some byte of the place."""
        if not self.early:
            return self.overwritten_at
        early = (position for part, position in self.early if not self._is_apart(part))
        return min((self.overwritten_at, *early))

    def _is_apart(self, other: "Place") -> bool:
        """Tell whether two places of one storage certainly have no byte in common."""
        for view, its in zip(self.views, other.views, strict=False):
            if view != its:
                return isinstance(view, Slice) and isinstance(its, Slice) and view.is_apart(its)
        return False

    def until(self, position: int) -> "Place":
        """The place for what is overwritten at `position`."""
        if position == self.overwritten_at:
            return self
        return Place(
            self.storage,
            self.views,
            self.type,
            self.occupants,
            self.known_from,
            position,
            self.early,
        )


@lru_cache(maxsize=16384)
def view_type(memref: Memref, views: tuple[View, ...]) -> Memref | None:
    """The type of a chain of views; None if the layout does not allow it."""
    type: Memref | None = memref
    for view in views:
        if type is None:
            return None
        type = view.apply(type)
    return type


def fresh_place(
    tensor: Tensor, block: Block, space: Attribute | None, arena: str | None = None
) -> Place:
    """A place that is a dense storage of its own in an arena, the default one without a name."""
    type = dense_memref(tensor, space)
    return Place(Storage(type, block, arena=arena), (), type)
