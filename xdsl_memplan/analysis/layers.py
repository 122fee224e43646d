"""Layers of a split graph: what is computed together whatever else is split.

A layer is an anchor (an operation that reduces: contraction, pooling, sum) with the elementwise
chain behind it and what only serves it: pads, reshapes, slices, concatenations, and arithmetic on
weights. Reductions over one and the same tensor are one layer with what is between them: softmax,
normalisations. An operation that cannot be split is a layer of its own.

Layers are numbered in the order of their anchors, and no operation reads from a later layer.
"""

from dataclasses import dataclass

from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Indirect,
    SplitGraph,
    SplitOp,
    SplitOperand,
)

_PATIENCE = 64
"""Operations between a tensor and where all of its readers meet again, at most."""

_SMALL = 1024
"""A sum over all there is, of no more elements, is one layer with what is read beside it."""


def form_layers(
    graph: SplitGraph, longest_norm_bytes: int | None = None, turned_apart: bool = False
) -> list[int]:
    """Return the layer of each operation, from 0 without gaps. Linear, but for `_PATIENCE`.

    A softmax or normalisation that reduces more than ``longest_norm_bytes`` to one element is not
    one layer: each reduction is one, and so is what reads it beside the elements. That moves more,
    and fits where not even one row does; None: any is one layer.

    With ``turned_apart`` what a contraction reads is a layer of its own if it is made of a tensor
    and of the same tensor with elements moved, as by a rotary embedding. A contraction that reads
    its operands several times then fetches them once each time, not both that they are made of.

    Sorted by layer, and by position within a layer, the operations are in an order in which each
    comes after those that make what it reads.
    """
    return _Layers(graph, longest_norm_bytes, turned_apart).form()


def has_turned(graph: SplitGraph) -> bool:
    """Tell whether ``turned_apart`` makes other layers; linear."""
    layers = _Layers(graph, None, turned_apart=True)
    layers.form()
    return layers.has_turned


def has_longer_norm(graph: SplitGraph, longest_norm_bytes: int) -> bool:
    """Tell whether a sum or maximum takes more bytes for one element of its result."""
    return any(_norm_bytes(graph, op) > longest_norm_bytes for op in graph.ops)


@dataclass(frozen=True)
class _Norm:
    """The reductions of a layer: their loops, and the tensors from outside that they come from."""

    loops: tuple[int, ...]
    iterators: tuple[str, ...]
    sources: frozenset[int]


class _Layers:
    def __init__(
        self, graph: SplitGraph, longest_norm_bytes: int | None, turned_apart: bool
    ) -> None:
        self.graph = graph
        self.turned_apart = turned_apart
        self.has_turned = False
        """Whether an operation is apart that else went with its reader."""
        self.longest_norm_bytes = longest_norm_bytes
        self.maker = {result: i for i, op in enumerate(graph.ops) for result in op.results}
        self.readers: list[list[int]] = [[] for _ in graph.ops]
        for i, op in enumerate(graph.ops):
            for before in self._makers(op):
                self.readers[before].append(i)
        self.anchors = self._find_anchors()
        self.layer: dict[int, int] = {}
        """Layer of each operation that has one already."""
        self.norms: dict[int, _Norm] = {}

    def form(self) -> list[int]:
        count = 0
        for i, op in enumerate(self.graph.ops):
            if i in self.layer or not self.anchors[i]:
                continue
            may_join = _is_plain(op) and not self._sums_much(i)
            norm = _Norm(op.loops, op.iterators, self._sources(i)) if may_join else None
            joined = None if norm is None else self._norm_to_join(i, norm)
            if joined is None:
                joined, count = count, count + 1
            self.layer[i] = joined
            if norm is not None:
                self._add_norm(joined, norm)
            self._grow(i, joined)
        return self._place_the_rest(count)

    def _find_anchors(self) -> list[bool]:
        """Tell which operations reduce, stay whole, or look things up in what a layer makes."""
        anchors: list[bool] = []
        after_one: list[bool] = []
        for op in self.graph.ops:
            before = any(anchors[i] or after_one[i] for i in self._makers(op))
            looks_up = any(_looks_up(operand) for operand in op.operands)
            stays_whole = not op.splittable and not op.view
            after_one.append(before)
            anchors.append(_reduces(op) or stays_whole or (looks_up and before))
        return anchors

    def _makers(self, op: SplitOp) -> list[int]:
        """List the operations that make what `op` reads, each once."""
        made = (self.maker.get(operand.tensor) for operand in op.operands)
        return list(dict.fromkeys(i for i in made if i is not None))

    def _grow(self, anchor: int, layer: int) -> None:
        """Add the elementwise chain behind an operation.

        That of a sum over much ends before what has more elements: each tile of it would need all
        that is summed. Any ends before what only repeats elements for one reader: who stores a
        tensor for others stores each of its elements once.
        """
        end = anchor
        while self.graph.ops[end].splittable and not self._is_returned(end):
            added = self._until_readers_meet(end)
            much = self._sums_much(anchor)
            if not added or (much and any(self._spreads(i, anchor) for i in added)):
                return
            if any(self._repeats_for_one(i) for i in added):
                return
            self.layer |= dict.fromkeys(added, layer)
            end = added[-1]

    def _sums_much(self, index: int) -> bool:
        """Tell whether a sum is a layer without what is read beside it.

        That is one over all there is, of many elements, or one longer than a norm may be.
        """
        op = self.graph.ops[index]
        if _results_made(op) == 1 and not op.view and _product(op.loops) > _SMALL:
            return True
        longest = self.longest_norm_bytes
        return longest is not None and _norm_bytes(self.graph, op) > longest

    def _spreads(self, index: int, source: int) -> bool:
        """Tell whether an operation makes more elements than another."""
        made, of = (_results_made(self.graph.ops[i]) for i in (index, source))
        return made > of

    def _repeats_for_one(self, index: int) -> bool:
        """Tell whether an operation makes twice as many elements as it reads, for one reader."""
        op = self.graph.ops[index]
        read = sum(_product(operand.shape) for operand in op.operands)
        return (
            not op.view
            and _results_made(op) >= 2 * read
            and len(self._readers_behind_views(index)) == 1
            and not self._is_returned(index)
        )

    def _find_spreading(self) -> set[int]:
        """List the operations that bring a sum over much to more elements than it has.

        What follows them outside of layers is among them: it needs all that is summed as well.
        """
        source: dict[int, int] = {}
        """The sum from which an operation comes that has no more elements."""
        spreading: set[int] = set()
        for i, op in enumerate(self.graph.ops):
            read = [source[before] for before in self._makers(op) if before in source]
            if self._sums_much(i):
                source[i] = i
            elif any(self._spreads(i, of) for of in read) or (
                i not in self.layer and any(before in spreading for before in self._makers(op))
            ):
                spreading.add(i)
            elif read:
                source[i] = read[0]
        return spreading

    def _find_repeating(self) -> set[int]:
        """List the operations without a layer that bring elements of a layer to several places.

        Tiles of these places would compute them again for each.
        """
        brought: dict[int, dict[int, int]] = {}
        """How many elements of each tensor that a layer makes are in what an operation makes."""
        repeating: set[int] = set()
        for i, op in enumerate(self.graph.ops):
            if i in self.layer or not (op.splittable or op.view):
                continue
            found: dict[int, int] = {}
            of_parts: dict[int, int] = {}
            made = _product(op.loops)
            for number, operand in enumerate(op.operands):
                before = self.maker.get(operand.tensor)
                if before is None:
                    continue
                inner = {operand.tensor: _product(operand.shape)}
                for tensor, count in brought.get(before, inner).items():
                    if number in op.parts:
                        of_parts[tensor] = of_parts.get(tensor, 0) + min(count, made)
                    found[tensor] = max(found.get(tensor, 0), min(count, made))
            brought[i] = found | of_parts if len(found) <= _PATIENCE else {}
            if any(
                count >= 2 * _product(self.graph.tensors[tensor].shape)
                for tensor, count in brought[i].items()
            ):
                repeating.add(i)
        return repeating

    def _find_turning(self) -> set[int]:
        """List the elementwise operations that read a tensor of a layer at two places.

        One of them is where a concatenation, a slice or a transposition has moved it: a rotary
        embedding adds to a row its own halves, exchanged. Who reads the result several times would
        fetch both places each time.
        """
        ways: dict[int, dict[int, frozenset[int]]] = {}
        """By what the elements of a tensor that a layer makes were moved last, if at all."""
        turning: set[int] = set()
        for i, op in enumerate(self.graph.ops):
            if i in self.layer or not (op.splittable or op.view):
                continue
            moved = frozenset({i}) if op.parts or _moves(op) else None
            found: dict[int, frozenset[int]] = {}
            for operand in op.operands:
                before = self.maker.get(operand.tensor)
                if before is None:
                    continue
                for tensor, by in ways.get(before, {operand.tensor: frozenset({-1})}).items():
                    found[tensor] = found.get(tensor, frozenset()) | (moved or by)
            ways[i] = found if len(found) <= _PATIENCE else {}
            made = _product(op.loops)
            if _is_elementwise(op) and any(
                len(by) > 1 and made <= _product(self.graph.tensors[tensor].shape)
                for tensor, by in ways[i].items()
            ):
                turning.add(i)
        return turning

    def _until_readers_meet(self, start: int) -> list[int]:
        """List the elementwise operations behind one, up to where all that read it have met.

        Returns an empty list if they do not meet, or need what is not computed yet.
        """
        frontier = {*self.readers[start]}
        added: dict[int, None] = {}
        while frontier and len(added) < _PATIENCE:
            current = min(frontier)
            op = self.graph.ops[current]
            if not (_is_elementwise(op) or op.view) or not self._is_ready(current, added):
                return []
            added[current] = None
            frontier.remove(current)
            if not frontier and not op.view:
                return list(added)
            if self._is_returned(current):
                return []
            frontier.update(self.readers[current])
        return []

    def _is_ready(self, index: int, also: dict[int, None]) -> bool:
        """Tell whether all anchors before an operation have a layer."""
        pending, seen = [index], {index}
        while pending:
            for before in self._makers(self.graph.ops[pending.pop()]):
                if before in self.layer or before in also or before in seen:
                    continue
                if self.anchors[before]:
                    return False
                seen.add(before)
                pending.append(before)
        return True

    def _norm_to_join(self, index: int, norm: _Norm) -> int | None:
        """Return the layer whose reductions read the same: the latest before this one."""
        level = self._level(index)
        for layer, other in reversed(self.norms.items()):
            if level > layer:
                return None
            same = (norm.loops, norm.iterators) == (other.loops, other.iterators)
            if same and (norm.sources & other.sources or level == layer):
                return layer
        return None

    def _add_norm(self, layer: int, norm: _Norm) -> None:
        known = self.norms.get(layer)
        sources = norm.sources if known is None else norm.sources | known.sources
        self.norms[layer] = _Norm(norm.loops, norm.iterators, sources)

    def _sources(self, index: int) -> frozenset[int]:
        """Return the tensors that an operation reads, those behind elementwise ones and views.

        Only tensors as large as its loops count.
        """
        loops = self.graph.ops[index].loops
        size = _product(loops)
        found: set[int] = set()
        pending = [index]
        while pending:
            for operand in self.graph.ops[pending.pop()].operands:
                if _product(operand.shape) != size or operand.tensor in found:
                    continue
                found.add(operand.tensor)
                before = self.maker.get(operand.tensor)
                if before is not None and before not in self.layer:
                    pending.append(before)
        return frozenset(found)

    def _level(self, index: int) -> int:
        """Return the latest layer that an operation comes after; -1 for none."""
        latest = -1
        pending, seen = [index], {index}
        while pending:
            for before in self._makers(self.graph.ops[pending.pop()]):
                if before in self.layer:
                    latest = max(latest, self.layer[before])
                elif before not in seen:
                    seen.add(before)
                    pending.append(before)
        return latest

    def _place_the_rest(self, count: int) -> list[int]:
        """Give the others a layer, from the last: that of their only reader where there is one."""
        keys: dict[int, tuple[int, int]] = {i: (layer, count) for i, layer in self.layer.items()}
        closed = {keys[i] for i in keys if not self.graph.ops[i].splittable}
        total = len(self.graph.ops)
        spreading, repeating = self._find_spreading(), self._find_repeating()
        turning = self._find_turning() if self.turned_apart else set[int]()
        contracting = {layer for i, layer in self.layer.items() if self.graph.ops[i].work_per_point}
        shown: list[int] = []
        for i in reversed(range(total)):
            if i in keys:
                continue
            view = self.graph.ops[i].view
            readers = self.readers[i] if view else self._readers_behind_views(i)
            read_in = sorted({keys[reader] for reader in readers if reader in keys})
            if view and not read_in and self._makers(self.graph.ops[i]):
                shown.append(i)
                continue
            level = self._level(i)
            joins = [key for key in read_in if view or key not in closed]
            # What a contraction fetches again and again is put together before, once.
            is_turned = i in turning and any(layer in contracting for layer, _ in joins)
            self.has_turned |= is_turned
            if len(read_in) == len(joins) == 1 and not self._is_returned(i) and not is_turned:
                keys[i] = read_in[0]
            elif level >= 0:
                # What brings elements into another order can be tiled otherwise than its source.
                op = self.graph.ops[i]
                rearranges = _rearranges(op) or _reads_in_several_ways(op)
                is_apart = i in spreading or rearranges or i in repeating or is_turned
                open_ = view or not ((level, count) in closed or is_apart)
                keys[i] = (level, count if open_ else count + 1 + i)
            elif view:
                keys[i] = read_in[0] if read_in else (0, count)
            else:
                # What several layers need and no layer makes: a layer of its own before them.
                keys[i] = (read_in[0][0] if read_in else count, i - total)
        for i in reversed(shown):
            # What is only returned, or read by nobody, belongs to what is shown.
            keys[i] = keys[self._makers(self.graph.ops[i])[-1]]
        self._keep_order(keys)
        parts = self._parts(keys)
        apart = {i: (*keys[i], parts[i]) for i in range(total)}
        order = {key: number for number, key in enumerate(sorted({*apart.values()}))}
        return [order[apart[i]] for i in range(total)]

    def _keep_order(self, keys: dict[int, tuple[int, int]]) -> None:
        """Move what came before its makers, or after its readers; layers of anchors stay.

        An operation that brings elements into another order is a layer behind its source, and who
        reads it was placed by the source alone.
        """
        total = len(self.graph.ops)
        free = [i for i in range(total) if i not in self.layer]
        for i in free:
            keys[i] = max([keys[i], *(keys[before] for before in self._makers(self.graph.ops[i]))])
        for i in reversed(free):
            keys[i] = min([keys[i], *(keys[reader] for reader in self.readers[i])])

    def _parts(self, keys: dict[int, tuple[int, int]]) -> list[int]:
        """Number the parts of each layer: one result of it and what only serves that one.

        Tiles of one result say nothing about another that is not on the way to it.
        """
        total = len(self.graph.ops)
        part = [0] * total
        found: dict[tuple[int, int], int] = {}
        for i in range(total):
            op = self.graph.ops[i]
            within = [r for r in self._readers_behind_views(i) if keys[r] == keys[i]]
            if op.view or within or not op.splittable:
                continue
            number = found.get(keys[i], 0)
            found[keys[i]] = number + 1
            pending = [i]
            while pending:
                current = pending.pop()
                if part[current] == 0:
                    part[current] = number + 1
                    makers = self._makers(self.graph.ops[current])
                    pending += [b for b in makers if keys[b] == keys[i]]
        for i in range(total):
            if part[i] == 0:
                behind = [part[b] for b in self._makers(self.graph.ops[i]) if keys[b] == keys[i]]
                part[i] = max(behind, default=1)
        return part

    def _readers_behind_views(self, index: int) -> list[int]:
        """List the operations that read a result, or a view of it, views left out."""
        pending, found = [index], list[int]()
        while pending:
            for reader in self.readers[pending.pop()]:
                (pending if self.graph.ops[reader].view else found).append(reader)
        return found

    def _is_returned(self, index: int) -> bool:
        """Tell whether a result, or a view of it, is returned."""
        pending = [index]
        while pending:
            current = pending.pop()
            if any(self.graph.tensors[t].returned for t in self.graph.ops[current].results):
                return True
            pending += [r for r in self.readers[current] if self.graph.ops[r].view]
        return False


def _is_plain(op: SplitOp) -> bool:
    """Tell whether an operation reduces without windows and without products: sums, maxima."""
    if not op.splittable or op.work_per_point:
        return False
    return all(
        isinstance(operand.access, Affine)
        and all(
            not index.reach and (not index.terms or [factor for _, factor in index.terms] == [1])
            for index in operand.access.indices
        )
        for operand in op.operands
    )


def _is_elementwise(op: SplitOp) -> bool:
    """Tell whether an operation makes each element from single ones, and moves none about."""
    plain = op.splittable and not (op.view or op.parts or _reduces(op)) and _is_plain(op)
    return plain and not _rearranges(op) and not _reads_in_several_ways(op)


def _rearranges(op: SplitOp) -> bool:
    """Tell whether an operation only brings the elements of one tensor into another order."""
    access = op.operands[0].access if len(op.operands) == 1 else None
    if not isinstance(access, Affine):
        return False
    terms = [loop for index in access.indices for loop, _ in index.terms]
    loops = [loop for loop in terms if op.loops[loop] > 1]
    return _product(op.operands[0].shape) == _product(op.loops) and loops != sorted(loops)


def _moves(op: SplitOp) -> bool:
    """Tell whether an operation shows elements at other places: a slice, or another order."""
    if _rearranges(op):
        return True
    access = op.operands[0].access if op.view and len(op.operands) == 1 else None
    return isinstance(access, Affine) and any(index.constant for index in access.indices)


def _reads_in_several_ways(op: SplitOp) -> bool:
    """Tell whether elements are made of several of one tensor: it and its transposition added."""
    if op.parts:
        return False
    ways: dict[int, Access] = {}
    return any(
        ways.setdefault(operand.tensor, operand.access) != operand.access for operand in op.operands
    )


def _looks_up(operand: SplitOperand) -> bool:
    match operand.access:
        case Affine(indices):
            return any(index.reach for index in indices)
        case access:
            return isinstance(access, Indirect)


def _reduces(op: SplitOp) -> bool:
    pairs = zip(op.loops, op.iterators, strict=True)
    return any(extent > 1 and kind == "reduction" for extent, kind in pairs)


def _results_made(op: SplitOp) -> int:
    parallel = (n for n, kind in zip(op.loops, op.iterators, strict=True) if kind != "reduction")
    return _product(tuple(parallel))


def _norm_bytes(graph: SplitGraph, op: SplitOp) -> int:
    """Count what a sum or maximum reads for one element of its result; 0 for other operations."""
    if not (_is_plain(op) and _reduces(op)):
        return 0
    # Positions alone may be added up, or a scalar.
    read = (graph.tensors[operand.tensor].element_bytes for operand in op.operands)
    return _product(op.loops) // _results_made(op) * max(read, default=0)


def _product(extents: tuple[int, ...]) -> int:
    count = 1
    for extent in extents:
        count *= extent
    return count
