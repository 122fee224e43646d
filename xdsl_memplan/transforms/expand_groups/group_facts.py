"""A group that is to be emitted, and what its code depends on: who makes and reads what, when."""

from collections import Counter as Counts
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xdsl_memplan.analysis.split_graph import is_returned
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    SplitGraph,
)
from xdsl_memplan.model.tiling_plan import GroupLayout, LoopCut, Track
from xdsl_memplan.transforms.expand_groups.axes import Position
from xdsl_memplan.transforms.expand_groups.borders import Border, border_of
from xdsl_memplan.transforms.expand_groups.bundles import BundlePlace
from xdsl_memplan.transforms.expand_groups.look_alikes import (
    box_in,
    kept_track,
    runs_of_cut,
)
from xdsl_memplan.transforms.expand_groups.shifted_pads import shifted_pads
from xdsl_memplan.transforms.expand_groups.shifted_reshapes import shifted_reshapes
from xdsl_memplan.transforms.expand_groups.shifted_tiles import ShiftedTiles


class ShortestLoops(NamedTuple):
    """Runs of at least so many tiles that look alike become a loop."""

    innermost: int
    """Of tiles that are not cut further."""
    around: int
    """Of tiles with others within, all of which would be written down for each."""


@dataclass(frozen=True)
class GroupToEmit:
    """A group: its operations and tensors, how it is cut, and where its results live."""

    graph: SplitGraph
    operations: Sequence[Operation]
    values: Sequence[SSAValue]
    layout: GroupLayout
    cuts: Sequence[LoopCut]
    homes: dict[int, str | None]
    """For each tensor that is read outside: the memory it is stored to; None: it stays on chip."""
    shortest_loops: ShortestLoops
    places: Mapping[int, BundlePlace] = field(default_factory=dict[int, BundlePlace])
    """Tensors from outside, and those that are read outside, that lie in bundles. Those without a
    value are several tensors side by side, of which a tile loads what it needs when it needs it."""
    read_last: Container[int] = ()
    """Tensors from outside that lie on chip and that nobody reads after the group."""


@dataclass
class GroupFacts:
    """What follows from a group before any code is there."""

    group: GroupToEmit

    def __post_init__(self) -> None:
        group = self.group
        self.layout = group.layout
        self.cuts = len(group.layout.tracks)
        self.levels = dict(group.layout.sequence)
        self.fetches = {fetch.tensor: fetch for fetch in group.layout.fetches}
        self.streams = {
            fetch.reader: fetch for fetch in group.layout.fetches if fetch.kind == "streamed"
        }
        self.chains = {link.op: chain for chain in group.layout.sliced for link in chain.links}
        self.adding = {n: c for n in self.levels if (c := self._adding_cuts(n))}
        """By operation whose sum is added up by tiles: the cuts that cut the sum, ascending."""
        self.maker = {
            tensor: number
            for number, _ in group.layout.sequence
            for tensor in group.graph.ops[number].results
        }
        self.reads = Counts(o.tensor for n in self.levels for o in group.graph.ops[n].operands)
        self.copied = self._leave_as_copies()
        self.over = self._find_written_over()
        """By result that stays on chip: the tensor from outside that it is written over."""
        self.over_by = {tensor_: result for result, tensor_ in self.over.items()}
        self.shifted = ShiftedTiles(
            shifted_pads(group.graph, group.operations, group.layout, group.cuts),
            shifted_reshapes(group.graph, group.layout, group.cuts, self.chains),
        )
        self.runs = [
            runs_of_cut(group.graph, group.layout, number, group.homes, self._shifted_by(cut))
            for number, cut in enumerate(group.cuts)
        ]
        made = list(filter(self._is_made_by_tiles, self.layout.tensors))
        kept = {tensor_: kept_track(self.layout, tensor_) for tensor_ in made}
        borders = {tensor_: border_of(self.layout, tensor_) for tensor_ in made}
        self.kept: dict[int, tuple[int, Track]] = {t: k for t, k in kept.items() if k is not None}
        self.borders: dict[int, Border] = {t: b for t, b in borders.items() if b is not None}
        self.deepest: dict[int, int] = {}
        self.last_reader = self._last_readers()
        self.kept_by: dict[int, list[int]] = {}
        self.kept_late: dict[int, list[int]] = {}
        for tensor_ in self.layout.tensors:
            if self.is_kept(tensor_):
                reader = self.last_reader.get(tensor_)
                level = self.tensor_level(tensor_)
                if reader is not None and self.levels[reader] > level:
                    self.kept_late.setdefault(level, []).append(tensor_)
                else:
                    self.kept_by.setdefault(-1 if reader is None else reader, []).append(tensor_)

    def _adding_cuts(self, number: int) -> list[int]:
        spans, iterators = self.layout.loops[number], self.group.graph.ops[number].iterators
        summed = (span for span, kind in zip(spans, iterators, strict=True) if kind == "reduction")
        return sorted(span.first for span in summed if span.driven)

    def _shifted_by(self, cut: LoopCut) -> ShiftedTiles | None:
        return self.shifted if cut.halo == "shift" else None

    def _last_readers(self) -> dict[int, int]:
        """The last operation of the sequence that reads a tensor or a view of it."""
        graph = self.group.graph
        base: dict[int, int] = {}
        last: dict[int, int] = {}
        for number, level in self.layout.sequence:
            op = graph.ops[number]
            for operand in op.operands:
                source: int | None = operand.tensor
                while source is not None:
                    last[source] = number
                    self.deepest[source] = max(self.deepest.get(source, 0), level)
                    source = base.get(source)
            if op.view and op.operands:
                base[op.results[0]] = op.operands[0].tensor
        return last

    def cached_track(self, tensor_: int) -> tuple[int, Track] | None:
        """The dimension of a tensor along which tiles keep a part, and its track."""
        return self.kept.get(tensor_)

    def is_kept(self, tensor_: int) -> bool:
        """Tell whether tiles, or rows of tiles, keep a part of a tensor."""
        return tensor_ in self.kept or tensor_ in self.borders

    def _is_made_by_tiles(self, tensor_: int) -> bool:
        """Tell whether tiles compute or fetch their part of a tensor."""
        if self.group.graph.tensors[tensor_].kind == "fill":
            return False
        fetch = self.fetches.get(tensor_)
        return fetch is None or fetch.kind == "fetched"

    def _leave_as_copies(self) -> set[int]:
        """Parts of tensors that are returned on chip: a copy, so that the whole lives no longer."""
        graph, homes = self.group.graph, self.group.homes
        parts: set[int] = set()
        for op in graph.ops:
            if op.view and (
                isinstance(op.operands[0].access, Affine) or op.operands[0].tensor in parts
            ):
                parts.update(op.results)
        return {
            part
            for part in parts
            if part in homes
            and homes[part] is None
            and self.tensor_level(part) == 0
            and is_returned(self.group.values[part])
        }

    def _find_written_over(self) -> dict[int, int]:
        """Find for results the tensors from outside whose place they take: the first free one."""
        found: dict[int, int] = {}
        for result, tensor_ in self.group.layout.over:
            is_taken = result in found or tensor_ in found.values()
            if not is_taken and self._is_written_over(result, tensor_):
                found[result] = tensor_
        return found

    def _is_written_over(self, result: int, tensor_: int) -> bool:
        """Tell whether a result lies where a tensor from outside does, which nobody reads later."""
        group, fetch = self.group, self.fetches.get(tensor_)
        return (
            result in group.homes
            and group.homes[result] is None
            and tensor_ in group.read_last
            and (fetch is None or fetch.kind == "resident")
            and not {result, tensor_} & group.places.keys()
            and group.values[result].type == group.values[tensor_].type
            and not self._is_read_through_view(tensor_)
        )

    def _is_read_through_view(self, tensor_: int) -> bool:
        """Tell whether a tensor from outside is read in another shape as well.

        The view was made before the group: no tile writes over what it shows.
        """
        shown = shown_by(self.group.values[tensor_])
        others = (t for t in self.fetches if t != tensor_)
        return any(shown_by(self.group.values[t]) is shown for t in others)

    def tensor_level(self, tensor_: int) -> int:
        """Cuts that a tensor follows, up to the innermost."""
        spans = self.layout.tensors[tensor_]
        return max((span.first + 1 for span in spans if span.driven), default=0)

    def made_at(self, tensor_: int) -> int | None:
        """Cuts around the place where a tensor is complete.

        None for one from outside that is not loaded anew in each tile.
        """
        maker = self.maker.get(tensor_)
        if maker is None:
            fetch = self.fetches.get(tensor_)
            return fetch.level if fetch is not None and fetch.kind == "fetched" else None
        return self.level_of_result(maker)

    def level_of_result(self, number: int) -> int:
        """Cuts around the place where what an operation makes is complete: those of its sum end."""
        return self.levels[number] - len(self.adding.get(number, ()))

    def sums_started_by(self, cut: int) -> list[int]:
        """The operations whose sum starts before the tiles of a cut, and is complete after them."""
        return [number for number, cuts in self.adding.items() if cuts[0] == cut]

    def sums_added_to_by(self, cut: int) -> list[int]:
        """The operations to whose sum each tile of a cut adds a part."""
        return [number for number, cuts in self.adding.items() if cut in cuts]

    def loops_at(self, number: int, position: Position) -> Box:
        """The ranges of an operation's loops in a tile."""
        return box_in(self.layout, self.layout.loops[number], position)
