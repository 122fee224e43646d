"""Dimensions in which a network merges the places of an image: its windows, its pixels.

A tile of an image that is cut along both sides has no name in such a dimension.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.dialects.tensor import (
    CollapseShapeOp,
    ConcatOp,
    EmptyOp,
    ExpandShapeOp,
    ExtractSliceOp,
    InsertSliceOp,
    PadOp,
    SplatOp,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape

Node: TypeAlias = tuple[SSAValue | Operation, int]
"""A dimension of a tensor, or a loop of a structured operation."""
Extents: TypeAlias = tuple[int, ...]

_MADE_FOR_EACH = (EmptyOp, SplatOp, FillOp, ConstantOp)
"""What makes tensors of which others are made that have nothing else to do with one another."""


class _Classes:
    """Dimensions and loops, of which some are the same."""

    def __init__(self) -> None:
        self._parents: dict[Node, Node] = {}

    def copy(self) -> "_Classes":
        other = _Classes()
        other._parents.update(self._parents)
        return other

    def root(self, node: Node) -> Node:
        parents = self._parents
        while (parent := parents.get(node, node)) != node:
            parents[node] = parents.get(parent, parent)
            node = parent
        return node

    def unite(self, one: Node, other: Node) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._parents[other] = one


@dataclass(frozen=True)
class _Merge:
    """A dimension of one tensor, and those of another that a reshape makes it of."""

    whole: Node
    parts: tuple[Node, ...]
    extents: Extents


@dataclass
class MergedPlaces:
    """Dimensions of tensors, and loops, that merge places of an image and need not.

    They are

    - blocks of an image: two of its dimensions are cut into blocks of rows and of columns, and the
      numbers of a block are merged, as windows of attention are;
    - pixels of an image that has blocks, or over which windows of a convolution move;
    - and what these are merged with.

    No sum goes over any of them, so that no order of additions changes if they are apart.
    """

    extents: dict[Node, Extents] = field(default_factory=dict[Node, Extents])
    """What a class of dimensions becomes, by its first member."""
    _same: _Classes = field(default_factory=_Classes)

    def parts(self, owner: SSAValue | Operation, position: int) -> Extents | None:
        """Return the extents of what is merged in a dimension of a tensor, or loop; or None."""
        return self.extents.get(self._same.root((owner, position)))

    def shape_in_parts(self, tensor: SSAValue) -> list[Extents]:
        """Return for each dimension of a static tensor its extent, or those of its parts."""
        shape = static_shape(tensor) or ()
        return [self.parts(tensor, d) or (extent,) for d, extent in enumerate(shape)]

    @classmethod
    def of(cls, block: Block) -> "MergedPlaces":
        """Find them among the operations of a block; nearly linear in these."""
        if not any(_merges_several(op) for op in block.ops):
            return cls()
        return _Finder().find(block)


def has_merged_places(module: ModuleOp) -> bool:
    """Tell whether a function of a module merges places; nearly linear."""
    return any(
        isinstance(op, FuncOp)
        and len(op.body.blocks) == 1
        and MergedPlaces.of(op.body.block).extents
        for op in operations_in(module)
    )


def _merges_several(op: Operation) -> bool:
    return isinstance(op, CollapseShapeOp) and any(True for _ in _merges(op))


def _merges(op: CollapseShapeOp | ExpandShapeOp) -> Iterator[tuple[int, list[int], Extents]]:
    """What a reshape merges, or takes apart: a dimension, those that it is made of, and extents."""
    wide = op.src if isinstance(op, CollapseShapeOp) else op.result
    shape = static_shape(wide)
    if shape is None or static_shape(op.result) is None:
        return
    for position, group in enumerate(op.reassociation):
        dims = [d.value.data for d in group if shape[d.value.data] > 1]
        if len(dims) > 1:
            yield position, dims, tuple(shape[d] for d in dims)


@dataclass
class _Finder:
    """What is known of the dimensions of a block."""

    same: _Classes = field(default_factory=_Classes)
    parts_along: list[tuple[Node, Node]] = field(default_factory=list[tuple[Node, Node]])
    """Dimensions of which one is a part of the other: of slices, within borders, put together."""
    merges: list[_Merge] = field(default_factory=list[_Merge])
    fixed: list[Node] = field(default_factory=list[Node])
    """Loops that stay as they are: of sums, and of windows."""
    windows: list[Node] = field(default_factory=list[Node])
    """Loops and dimensions over which windows move."""
    sums: list[tuple[Operation, list[int]]] = field(
        default_factory=list[tuple[Operation, list[int]]]
    )
    """Operations that add up, and their other loops."""

    def find(self, block: Block) -> MergedPlaces:
        for op in block.ops:
            self._visit(op)
        while self._agree():
            pass
        fixed = {self.same.root(node) for node in self.fixed}
        wholes = [self.same.root(merge.whole) for merge in self.merges]
        parts = [tuple(map(self.same.root, merge.parts)) for merge in self.merges]
        chosen = {
            whole
            for whole, is_image in zip(wholes, self._are_images(wholes, parts, fixed), strict=True)
            if is_image
        } - fixed
        grows = bool(chosen)
        while grows:
            grows = False
            for whole, of in zip(wholes, parts, strict=True):
                if whole not in chosen and whole not in fixed and not chosen.isdisjoint(of):
                    chosen.add(whole)
                    grows = True
        found = MergedPlaces(_same=self.same)
        extents = _Extents(wholes, parts, [merge.extents for merge in self.merges], chosen)
        for root in dict.fromkeys(wholes):
            if root in chosen and (known := extents.of(root)) is not None:
                found.extents[root] = known
        if not any(found.parts(op, loop) for op, loops in self.sums for loop in loops):
            return MergedPlaces()
        return found

    def _agree(self) -> bool:
        """Unite what the same is made of in the same way; tell whether anything was."""
        by_whole: dict[tuple[Node, Extents], tuple[Node, ...]] = {}
        by_parts: dict[tuple[Node, ...], Node] = {}
        is_any = False
        for merge in self.merges:
            whole, parts = self.same.root(merge.whole), tuple(map(self.same.root, merge.parts))
            known = by_whole.setdefault((whole, merge.extents), parts)
            pairs = [*zip(parts, known, strict=True), (whole, by_parts.setdefault(parts, whole))]
            for one, other in pairs:
                if self.same.root(one) != self.same.root(other):
                    self.same.unite(one, other)
                    is_any = True
        return is_any

    def _visit(self, op: Operation) -> None:
        if any(static_shape(value) is None for value in op.results):
            return
        match op:
            case CollapseShapeOp() | ExpandShapeOp():
                self._reshape(op)
            case LinalgStructuredOperation():
                self._structured(op)
            case ExtractSliceOp():
                self._relate(op.source, op.result, op.static_offsets.get_values())
            case InsertSliceOp():
                self._relate(op.dest, op.source, op.static_offsets.get_values())
                self._relate(op.result, op.dest)
            case PadOp():
                self._relate(op.result, op.source)
            case ConcatOp():
                for part in op.inputs:
                    self._relate(op.result, part)
            case _:
                pass

    def _reshape(self, op: CollapseShapeOp | ExpandShapeOp) -> None:
        is_merged = isinstance(op, CollapseShapeOp)
        narrow, wide = (op.result, op.src) if is_merged else (op.src, op.result)
        several = {position: (dims, extents) for position, dims, extents in _merges(op)}
        shape = static_shape(wide)
        if shape is None:
            return
        for position, group in enumerate(op.reassociation):
            if position in several:
                dims, extents = several[position]
                merge = _Merge((narrow, position), tuple((wide, d) for d in dims), extents)
                self.merges.append(merge)
                continue
            for d in group:
                if shape[d.value.data] > 1:
                    self.same.unite((narrow, position), (wide, d.value.data))

    def _structured(self, op: LinalgStructuredOperation) -> None:
        kinds = [kind.data for kind in op.get_iterator_types()]
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        tensors = [*zip(op.operands, maps, strict=True)]
        tensors += zip(op.results, maps[len(maps) - len(op.results) :], strict=True)
        for value, map_ in tensors:
            if type(value.owner) in _MADE_FOR_EACH:
                continue
            for d, index in enumerate(map_.results):
                if isinstance(index, AffineDimExpr):
                    self.same.unite((op, index.position), (value, d))
                    continue
                loops = index.used_dims()
                self.fixed += [(op, loop) for loop in loops]
                moved = [loop for loop in loops if kinds[loop] is IteratorType.PARALLEL]
                if len(moved) < len(loops):
                    self.windows += [(value, d), *((op, loop) for loop in moved)]
        added = [loop for loop, kind in enumerate(kinds) if kind is not IteratorType.PARALLEL]
        self.fixed += [(op, loop) for loop in added]
        if added:
            self.sums.append((op, [loop for loop in range(len(kinds)) if loop not in added]))

    def _relate(self, whole: SSAValue, part: SSAValue, offsets: Sequence[int] = ()) -> None:
        """Relate a tensor to a part of it, which begins at ``offsets``, or wherever it fits.

        A slice may have fewer dimensions of size 1; nothing is known of these.
        """
        of_whole, of_part = static_shape(whole), static_shape(part)
        if of_whole is None or of_part is None or len(of_whole) != len(of_part):
            return
        for d, (size, taken) in enumerate(zip(of_whole, of_part, strict=True)):
            if size == taken and not any(offsets[d : d + 1]):
                self.same.unite((whole, d), (part, d))
            else:
                self.parts_along.append(((whole, d), (part, d)))

    def _are_images(
        self, wholes: Sequence[Node], parts: Sequence[tuple[Node, ...]], fixed: set[Node]
    ) -> list[bool]:
        """For each merge whether it is one of blocks of an image, or of its pixels."""
        related = self.same.copy()
        for one, other in self.parts_along:
            related.unite(one, other)
        side = related.root
        windows = {side(node) for node in self.windows}
        images, blocks = self._blocks(side, wholes, parts, fixed)

        def is_image(merge: _Merge, of: tuple[Node, ...]) -> bool:
            sides = [side(node) for node in merge.parts]
            return any(
                pair in blocks or windows.issuperset(two) or two in images
                for pair, two in zip(_neighbours(of), _neighbours(sides), strict=True)
            )

        return [is_image(merge, of) for merge, of in zip(self.merges, parts, strict=True)]

    def _blocks(
        self,
        side: Callable[[Node], Node],
        wholes: Sequence[Node],
        parts: Sequence[tuple[Node, ...]],
        fixed: set[Node],
    ) -> tuple[set[tuple[Node, ...]], set[tuple[Node, ...]]]:
        """Find the sides of images that are cut into blocks, and the numbers of their blocks.

        What is within a block is merged as well, and summed up: else the two sides of an image
        would be blocks of what has the numbers of blocks and the places within them.
        """
        merged = {pair for of in parts for pair in _neighbours(of)}
        summed = {
            pair
            for whole, of in zip(wholes, parts, strict=True)
            if whole in fixed
            for pair in _neighbours(of)
        }
        cut: dict[Node, set[tuple[Node, Node]]] = {}
        for merge, (number, within, *_) in zip(self.merges, parts, strict=True):
            cut.setdefault(number, set()).add((within, side(merge.whole)))
        images: set[tuple[Node, ...]] = set()
        blocks: set[tuple[Node, ...]] = set()
        for pair in merged:
            rows, columns = (cut.get(number, ()) for number in pair)
            for (high, one), (wide, other) in product(rows, columns):
                if len({*pair, high, wide}) == 4 and one != other and (high, wide) in summed:
                    images.add((one, other))
                    blocks.add(pair)
        return images, blocks


def _neighbours(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    return list(pairwise(nodes))


@dataclass
class _Extents:
    """What each class of dimensions becomes, where all that merges it agrees."""

    wholes: Sequence[Node]
    parts: Sequence[tuple[Node, ...]]
    sizes: Sequence[Extents]
    chosen: set[Node]
    _known: dict[Node, Extents | None] = field(default_factory=dict[Node, "Extents | None"])

    def of(self, root: Node) -> Extents | None:
        if root not in self._known:
            self._known[root] = None  # What is a part of itself is left alone.
            ways = {
                tuple(e for part, n in zip(of, sizes, strict=True) for e in self._of_part(part, n))
                for whole, of, sizes in zip(self.wholes, self.parts, self.sizes, strict=True)
                if whole == root
            }
            finest = max(ways, key=lambda way: (len(way), way))
            if all(_refines(finest, way) for way in ways):
                self._known[root] = finest
        return self._known[root]

    def _of_part(self, part: Node, extent: int) -> Extents:
        return (self.of(part) if part in self.chosen else None) or (extent,)


def _refines(fine: Extents, coarse: Extents) -> bool:
    """Tell whether neighbours in ``fine`` can be merged to ``coarse``."""
    ends = {prod(fine[: i + 1]) for i in range(len(fine))}
    return all(prod(coarse[: i + 1]) in ends for i in range(len(coarse)))
