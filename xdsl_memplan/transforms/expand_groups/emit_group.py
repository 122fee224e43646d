"""A group of layers as code: tile after tile, unrolled or in loops."""

from collections import Counter as Counts
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.split_graph import is_returned
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.tiling import LoopRange, Tile
from xdsl_memplan.dialects.tiling_models.tile_values import (
    box_shape,
    empty,
    is_remade,
    remake,
    shape_of,
    tile_type,
)
from xdsl_memplan.dialects.tiling_queries import tile_operation
from xdsl_memplan.model.narrowing_chains import ChainLink, NarrowingChain
from xdsl_memplan.model.split_graph import (
    Affine,
    Box,
    Indirect,
    SplitGraph,
    operand_box,
    result_box,
    whole,
)
from xdsl_memplan.model.tiling_plan import Fetch, GroupLayout, LoopCut, Track
from xdsl_memplan.transforms.expand_groups.axes import Axis, Counter, Place, Position
from xdsl_memplan.transforms.expand_groups.bundles import Bundle, BundlePlace, tensors_in
from xdsl_memplan.transforms.expand_groups.look_alikes import (
    box_in,
    is_empty,
    kept_track,
    repeating_cuts,
    runs_of_cut,
)
from xdsl_memplan.transforms.expand_groups.tile_runs import Run
from xdsl_memplan.transforms.expand_groups.windows import (
    BoxAt,
    Window,
    concatenated,
    inserted,
    whole_window,
)


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
    shortest_loop: int
    """Runs of at least so many tiles that look alike become a loop."""
    places: Mapping[int, BundlePlace] = field(default_factory=dict[int, BundlePlace])
    """Tensors from outside, and those that are read outside, that lie in bundles. Those without a
    value are several tensors side by side, of which a tile loads what it needs when it needs it."""


@dataclass(frozen=True)
class Tiles:
    """What the tiles of a cut have in common."""

    outer: dict[int, Window]
    """Tensors at hand before the cut."""
    anchor: int | None
    """The operation whose sum is cut."""
    counters: tuple[Counter, ...] = ()
    """Loops over the tiles that are open."""

    def counted_by(self, counter: Counter) -> "Tiles":
        """The same in one more loop."""
        return replace(self, counters=(*self.counters, counter))


@dataclass
class _Emitter:
    group: GroupToEmit
    windows: dict[int, Window] = field(default_factory=dict[int, Window])
    """Tensors at hand in the tile that is being emitted."""
    outputs: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    overlaps: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What was kept from the tile before."""
    cached: dict[int, tuple[int, Track] | None] = field(
        default_factory=dict[int, tuple[int, Track] | None]
    )
    """What `_cached_track` has found."""
    bundles: dict[Bundle, SSAValue] = field(default_factory=dict[Bundle, SSAValue])
    """What is in the bundles that are read or written to."""
    sums: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What a contraction has added up so far."""

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
        self.anchor = next((cut.op for cut in group.cuts if cut.kind == "sum"), None)
        self.maker = {
            tensor: number
            for number, _ in group.layout.sequence
            for tensor in group.graph.ops[number].results
        }
        self.reads = Counts(o.tensor for n in self.levels for o in group.graph.ops[n].operands)
        self.copied = self._leave_as_copies()
        self.runs = [
            runs_of_cut(group.graph, group.layout, cut, group.homes) for cut in range(self.cuts)
        ]
        self.deepest: dict[int, int] = {}
        self.last_reader = self._last_readers()
        self.kept_by: dict[int, list[int]] = {}
        self.kept_late: dict[int, list[int]] = {}
        for tensor_ in self.layout.tensors:
            if self._cached_track(tensor_) is not None:
                reader = self.last_reader.get(tensor_)
                level = self._tensor_level(tensor_)
                if reader is not None and self.levels[reader] > level:
                    self.kept_late.setdefault(level, []).append(tensor_)
                else:
                    self.kept_by.setdefault(-1 if reader is None else reader, []).append(tensor_)

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

    def _cached_track(self, tensor_: int) -> tuple[int, Track] | None:
        """The dimension of a tensor along which tiles keep a part, and its track."""
        if tensor_ not in self.cached:
            self.cached[tensor_] = self._find_cached_track(tensor_)
        return self.cached[tensor_]

    def _find_cached_track(self, tensor_: int) -> tuple[int, Track] | None:
        if self.group.graph.tensors[tensor_].kind == "fill":
            return None
        fetch = self.fetches.get(tensor_)
        if fetch is not None and fetch.kind != "fetched":
            return None
        return kept_track(self.layout, tensor_)

    # The loop nest.

    def emit(self, builder: Builder) -> dict[int, SSAValue]:
        """Insert the code; return the values of the tensors that are read outside."""
        place = Place((), builder)
        for bundle in tensors_in(self.group.places.values()):
            self.bundles[bundle] = bundle.current(builder)
        for fetch in self.layout.fetches:
            if fetch.kind == "kept":
                self._load_kept(fetch, place)
        for tensor_, home in self.group.homes.items():
            if tensor_ in self.group.places:
                continue
            if self._tensor_level(tensor_) > 0 or home is not None:
                type_ = self.group.values[tensor_].type
                self.outputs[tensor_] = empty(
                    tile_type(type_, shape_of(self.group.values[tensor_])), builder
                )
        self._body(0, place)
        for bundle, value in self.bundles.items():
            bundle.value = value
        return self.outputs

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
            and self._tensor_level(part) == 0
            and is_returned(self.group.values[part])
        }

    def _tensor_level(self, tensor_: int) -> int:
        spans = self.layout.tensors[tensor_]
        return max((span.first + 1 for span in spans if span.driven), default=0)

    def _body(self, level: int, place: Place) -> None:
        before, after = self._operations_of(level)
        for number in before:
            self._operation(number, place)
        if level < self.cuts:
            self._prefetch(level, place)
            self._cut(level, place)
            for tensor_ in self.kept_late.get(level, ()):
                self._keep(tensor_, place)
        for number in after:
            self._operation(number, place)

    def _operations_of(self, level: int) -> tuple[list[int], list[int]]:
        sequence = self.layout.sequence
        deeper = [i for i, (_, depth) in enumerate(sequence) if depth > level]
        first = deeper[0] if deeper else len(sequence)
        own = [(i, number) for i, (number, depth) in enumerate(sequence) if depth == level]
        return [n for i, n in own if i < first], [n for i, n in own if i > first]

    def _cut(self, cut: int, place: Place) -> None:
        outer = dict(self.windows)
        for tensor_ in list(self.overlaps):
            if self._tensor_level(tensor_) == cut + 1:
                del self.overlaps[tensor_]
        anchor = self.anchor if self.group.cuts[cut].kind == "sum" else None
        if anchor is not None:
            self._start_sum(anchor, place)
        self._runs(cut, self.runs[cut], Tiles(outer, anchor), place)
        self.windows = outer
        if anchor is not None:
            (result,) = self.group.graph.ops[anchor].results
            value = self.sums.pop(result, None)
            if value is not None:  # Else this tile of the group needs nothing of it.
                self._made(result, value, place)

    def _runs(self, cut: int, runs: Iterable[Run], tiles: Tiles, place: Place) -> None:
        for run in runs:
            done = 0
            while done < run.count and not (
                run.count - done >= self.group.shortest_loop and self._can_loop(tiles.anchor)
            ):
                self._once(cut, run, done, tiles, place)
                done += 1
            if done < run.count:
                self._loop(cut, run, done, tiles, place)

    def _once(self, cut: int, run: Run, number: int, tiles: Tiles, place: Place) -> None:
        """One tile of a run, or one period."""
        ahead = number * run.step
        if run.inner:
            self._runs(cut, [inner.shifted(ahead) for inner in run.inner], tiles, place)
            return
        self.windows = dict(tiles.outer)
        axis = Axis(run.first + ahead, tiles.counters)
        self._body(cut + 1, place.inside(axis, place.builder))

    def _can_loop(self, anchor: int | None) -> bool:
        """A loop that adds up needs a value to start with."""
        return anchor is None or self.group.graph.ops[anchor].results[0] in self.sums

    def _start_sum(self, anchor: int, place: Place) -> None:
        """What a contraction adds to: made anew, or computed before and read by nobody else."""
        op = self.group.operations[anchor]
        (result,) = self.group.graph.ops[anchor].results
        outputs = [value for value in op.operands if value.type == op.results[0].type]
        spans = self.layout.tensors[result]
        box = box_in(self.layout, spans, place.position)
        if not outputs or is_empty(box):
            return
        if is_remade(outputs[-1]):
            self.sums[result] = remake(outputs[-1], box_shape(box), place.builder)
            return
        start = next(
            (t for t in self.windows if self.group.values[t] is outputs[-1] and t in self.maker),
            None,
        )
        if start is not None and self.reads[start] == 1 and start not in self.group.homes:
            value = self.windows[start].value
            if shape_of(value) == box_shape(box):
                self.sums[result] = value

    def _loop(self, cut: int, run: Run, done: int, tiles: Tiles, place: Place) -> None:
        """The tiles, or periods, of a run from number `done` on."""
        states = (
            (self.outputs, [t for t in self.outputs if self._written_below(t, cut)]),
            (self.overlaps, list(self.overlaps)),
            (self.sums, list(self.sums)),
        )
        slots: list[tuple[dict[Any, SSAValue], Any]] = [
            *((table, key) for table, keys in states for key in keys),
            *((self.bundles, bundle) for bundle in self.bundles),
        ]
        initial = [table[key] for table, key in slots]
        block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
        for (table, key), argument in zip(slots, block.args[1:], strict=True):
            table[key] = argument
        inside = tiles.counted_by(Counter(block.args[0], run.step))
        body = Place(place.axes, Builder(InsertPoint.at_end(block)), place.indices)
        self._once(cut, run, done, inside, body)
        if block.first_op is None:
            for (table, key), value in zip(slots, initial, strict=True):
                table[key] = value
            return  # Tiles before the first, in which nothing runs ahead yet.
        # What no iteration changes is not carried.
        changed: list[int] = []
        for index in reversed(range(len(slots))):
            table, key = slots[index]
            argument = block.args[index + 1]
            if table[key] is argument:
                argument.replace_all_uses_with(initial[index])
                table[key] = initial[index]
                block.erase_arg(argument)
            else:
                changed.insert(0, index)
        block.add_op(scf.YieldOp(*(slots[i][0][slots[i][1]] for i in changed)))
        begin, end, step = (place.constant(number) for number in (0, run.count - done, 1))
        carried = [initial[i] for i in changed]
        loop = place.builder.insert(scf.ForOp(begin, end, step, carried, block))
        for index, result in zip(changed, loop.results, strict=True):
            table, key = slots[index]
            table[key] = result

    def _written_below(self, tensor_: int, cut: int) -> bool:
        return self._tensor_level(tensor_) > cut

    # Operations.

    def _loops_at(self, number: int, position: Position) -> Box:
        return box_in(self.layout, self.layout.loops[number], position)

    def _operation(self, number: int, place: Place) -> None:
        chain = self.chains.get(number)
        if chain is not None and number != chain.links[-1].op:
            return  # Runs with the last of its chain.
        op = self.group.graph.ops[number]
        if op.splittable and is_empty(self._loops_at(number, place.position)):
            for result in op.results:
                if result in self.overlaps:
                    self._keep_at_hand(result)
        elif not op.splittable:
            self._whole(number, place)
        elif chain is not None:
            self._in_slices(self._with_streams(chain, place), place)
        elif number in self.streams:
            link = ChainLink(number, self.streams[number].along)
            self._in_slices(self._with_streams(NarrowingChain((link,), 0), place), place)
        else:
            loops_at = self._loops_for(number)
            tile = self._tile(number, _loop_ranges(place, loops_at), place, loops_at)
            self._finish(number, tile, place)
        for done in [number] if chain is None else [link.op for link in chain.links]:
            for tensor_ in self.kept_by.get(done, ()):
                self._keep(tensor_, place)
        for result in op.results:
            if result in self.kept_by.get(-1, ()):
                self._keep(result, place)

    def _with_streams(self, chain: NarrowingChain, place: Place) -> NarrowingChain:
        """A chain whose slices are no larger than those of operands that come slice by slice."""
        number, along = chain.links[-1]
        start, stop = self._loops_at(number, place.position)[along]
        streams = [self.streams[link.op] for link in chain.links if link.op in self.streams]
        sizes = [-(-(stop - start) // fetch.slices) for fetch in streams]
        return chain._replace(size=min([chain.size, *sizes] if chain.size else sizes))

    def _loops_for(self, number: int) -> BoxAt:
        return lambda position: self._loops_at(number, position)

    def _tile(
        self,
        number: int,
        loops: Sequence[LoopRange],
        place: Place,
        loops_at: BoxAt,
        into: Sequence[SSAValue] | None = None,
    ) -> Sequence[SSAValue]:
        op = self.group.graph.ops[number]
        operands: list[SSAValue | None] = []
        for index, operand in enumerate(op.operands):
            if isinstance(operand.access, Indirect):
                # What comes from outside is looked up where it lies: a window holds a part of it.
                is_made_here = operand.tensor in self.maker
                value = self.group.values[operand.tensor]
                operands.append(self.windows[operand.tensor].value if is_made_here else value)
                continue

            def box(position: Position, index: int = index) -> Box:
                found = operand_box(op, index, loops_at(position))
                assert found is not None
                return found

            if operand_box(op, index, loops_at(place.position)) is None:
                operands.append(None)
            else:
                operands.append(self._take(operand.tensor, place, box))
        destinations = into
        if number == self.anchor and into is None:
            total = self.sums.get(op.results[0])
            destinations = None if total is None else [total]
        tile = Tile(loops, operands, destinations)
        return tile_operation(self.group.operations[number], tile, place.builder)

    def _finish(self, number: int, results: Sequence[SSAValue], place: Place) -> None:
        op = self.group.graph.ops[number]
        ir = self.group.operations[number]
        for tensor_ in op.results:
            value = results[_result_number(ir, self.group.values[tensor_])]
            if number == self.anchor:
                self.sums[tensor_] = value
            else:
                self._made(tensor_, value, place)

    def _whole(self, number: int, place: Place) -> None:
        """An operation that is never split, on whole tensors."""
        op = self.group.graph.ops[number]
        mapping: dict[SSAValue, SSAValue] = {}
        for operand in op.operands:
            value = self.group.values[operand.tensor]
            shape = operand.shape
            if isinstance(operand.access, Indirect):
                continue
            mapping[value] = self._take(operand.tensor, place, lambda _, s=shape: whole(s))
        clone = place.builder.insert(self.group.operations[number].clone(mapping))
        self._finish(number, clone.results, place)

    def _in_slices(self, chain: NarrowingChain, place: Place) -> None:
        """Operations one behind another, slice by slice of a loop; only the last result is whole.

        Either operands come slice by slice, or what is between the operations is to be small.
        """
        graph = self.group.graph
        number, along = chain.links[-1]
        op = graph.ops[number]
        (result,) = op.results
        between = {t for link in chain.links[:-1] for t in graph.ops[link.op].results}
        streamed = {self.streams[n].tensor for n, _ in chain.links if n in self.streams}
        box = box_in(self.layout, self.layout.tensors[result], place.position)
        dimension = op.result_access.index(along)
        start, stop = self._loops_at(number, place.position)[along]
        total = self.sums.get(result) if number == self.anchor else None
        is_sum = total is not None
        type_ = tile_type(self.group.values[result].type, box_shape(box))
        for link in chain.links:
            for operand in graph.ops[link.op].operands:
                # What all slices read is loaded once, before them.
                is_at_home = isinstance(operand.access, Indirect)
                is_fill = graph.tensors[operand.tensor].kind == "fill"
                in_slices = operand.tensor in streamed or operand.tensor in between
                if not in_slices and not is_at_home and not is_fill:
                    self._window(operand.tensor, place)
        over = None if is_sum else self._written_over(chain, streamed, type_, place)
        if total is not None:
            whole_result = total
        elif over is not None:
            whole_result = self.windows[over].value
        else:
            whole_result = empty(type_, place.builder)
        full, rest = divmod(stop - start, chain.size)

        def piece_at(position: Position) -> tuple[int, int]:
            first, end = self._loops_at(number, position[:-1])[along]
            begin = first + position[-1] * chain.size
            return begin, min(begin + chain.size, end)

        def loops_of(link: ChainLink) -> BoxAt:
            def loops_at(position: Position) -> Box:
                ranges = list(self._loops_at(link.op, position[:-1]))
                ranges[link.along] = piece_at(position)
                return tuple(ranges)

            return loops_at

        def slice_of(value: SSAValue, at: Place) -> SSAValue:
            if over is not None:
                # Slices that were computed already stand where others were read.
                self.windows[over] = Window(value, self.windows[over].starts)
            for link in chain.links:
                if link.op in self.streams:
                    self._load_slice(self.streams[link.op].tensor, link.op, loops_of(link), at)
            for link in chain.links[:-1]:
                loops_at = loops_of(link)
                made = self._tile(link.op, _loop_ranges(at, loops_at), at, loops_at)
                self._slice_made(link.op, made, loops_at)

            def part(position: Position) -> Box:
                low, high = piece_at(position)
                first, _ = self._loops_at(number, position[:-1])[along]
                here = [(0, extent) for extent in shape_of(value)]
                here[dimension] = (low - first, high - first)
                return tuple(here)

            target = whole_window(value)
            into = [target.take(at, part)] if is_sum else None
            loops_at = loops_of(chain.links[-1])
            results = self._tile(number, _loop_ranges(at, loops_at), at, loops_at, into)
            made = results[_result_number(self.group.operations[number], self.group.values[result])]
            return inserted(made, value, target.offsets(at, part), at)

        kept = dict(self.windows)
        if full >= self.group.shortest_loop:
            block = Block(arg_types=[IndexType(), type_])
            inner = place.inside(
                Axis(0, (Counter(block.args[0]),)), Builder(InsertPoint.at_end(block))
            )
            block.add_op(scf.YieldOp(slice_of(block.args[1], inner)))
            begin, end, step = (place.constant(n) for n in (0, full, 1))
            loop = place.builder.insert(scf.ForOp(begin, end, step, [whole_result], block))
            whole_result = loop.results[0]
            pieces = range(full, full + bool(rest))
        else:
            pieces = range(full + bool(rest))
        for piece in pieces:
            self.windows = dict(kept)
            whole_result = slice_of(whole_result, place.inside(Axis(piece), place.builder))
        self.windows = kept
        if number == self.anchor:
            self.sums[result] = whole_result
        else:
            self._made(result, whole_result, place)

    def _load_slice(self, tensor_: int, reader: int, loops_at: BoxAt, at: Place) -> None:
        op = self.group.graph.ops[reader]
        index = next(k for k, o in enumerate(op.operands) if o.tensor == tensor_)

        def wanted(position: Position) -> Box:
            found = operand_box(op, index, loops_at(position))
            assert found is not None
            return found

        loaded = self._outside(tensor_).load(at, wanted)
        self.windows[tensor_] = Window(loaded, lambda p: tuple(low for low, _ in wanted(p)))

    def _slice_made(self, number: int, made: Sequence[SSAValue], loops_at: BoxAt) -> None:
        """A slice of what an operation inside of a chain makes is there."""
        op = self.group.graph.ops[number]
        (result,) = op.results
        ir = self.group.operations[number]

        def starts(position: Position) -> tuple[int, ...]:
            return tuple(low for low, _ in result_box(op, loops_at(position)))

        value = made[_result_number(ir, self.group.values[result])]
        self.windows[result] = Window(value, starts)

    def _written_over(
        self, chain: NarrowingChain, streamed: Container[int], type_: Attribute, place: Place
    ) -> int | None:
        """An operand that dies here and whose room the result can take, slice by slice."""
        number, _ = chain.links[-1]
        op = self.group.graph.ops[number]
        level = len(place.axes)
        if number == self.anchor and self.group.cuts[level - 1].kind == "sum":
            level -= 1  # What a sum starts with is read by its first part alone.
        # Another operation of the chain may need all of it in each slice.
        read_before = {
            operand.tensor
            for link in chain.links[:-1]
            for operand in self.group.graph.ops[link.op].operands
        }
        for index in op.in_place:
            tensor_ = op.operands[index].tensor
            if (
                tensor_ not in streamed
                and tensor_ not in read_before
                and tensor_ in self.maker
                and tensor_ not in self.group.homes
                and self.last_reader.get(tensor_) == number
                and self._cached_track(tensor_) is None
                and self._made_at(tensor_) == level
                and tensor_ in self.windows
                and self.windows[tensor_].value.type == type_
            ):
                return tensor_
        return None

    def _made_at(self, tensor_: int) -> int:
        """Cuts around the place where a tensor is complete."""
        maker = self.maker[tensor_]
        level = self.levels[maker]
        is_sum = maker == self.anchor and self.group.cuts[level - 1].kind == "sum"
        return level - is_sum

    # Tensors.

    def _take(self, tensor_: int, place: Place, box: BoxAt) -> SSAValue:
        if tensor_ >= len(self.group.values):
            rank = len(self.group.graph.tensors[tensor_].shape)
            return self._in_bundle(self.group.places[tensor_], rank).load(place, box)
        value = self.group.values[tensor_]
        if self.group.graph.tensors[tensor_].kind == "fill":
            return remake(value, box_shape(box(place.position)), place.builder)
        return self._window(tensor_, place).take(place, box)

    def _window(self, tensor_: int, place: Place) -> Window:
        window = self.windows.get(tensor_)
        if window is not None:
            return window
        fetch = self.fetches.get(tensor_)
        if fetch is None or fetch.kind == "resident":
            return self._outside(tensor_)
        self._fetch(tensor_, place)
        # Of a tensor without elements nothing is loaded.
        return self.windows.get(tensor_) or self._outside(tensor_)

    def _outside(self, tensor_: int) -> Window:
        """All of a tensor from outside, or of the bundle that it lies in."""
        at = self.group.places.get(tensor_)
        value = self.group.values[tensor_]
        return whole_window(value) if at is None else self._in_bundle(at, len(shape_of(value)))

    def _in_bundle(self, at: BundlePlace, rank: int) -> Window:
        starts = at.starts(rank)
        return Window(self.bundles[at.bundle], lambda _: starts)

    def _starts(self, tensor_: int) -> Callable[[Position], tuple[int, ...]]:
        spans = self.layout.tensors[tensor_]

        def starts(position: Position) -> tuple[int, ...]:
            return tuple(a for a, _ in box_in(self.layout, spans, position))

        return starts

    def _fetch(self, tensor_: int, place: Place) -> None:
        """Load what a tile needs of a tensor from outside and does not have yet."""
        spans = self.layout.tensors[tensor_]

        def box(position: Position) -> Box:
            return box_in(self.layout, spans, position)

        if is_empty(box(place.position)):
            self._keep_at_hand(tensor_)
            return
        value = self._outside(tensor_).load(place, box)
        self._at_hand(tensor_, value, place)

    def _prefetch(self, level: int, place: Place) -> None:
        """Load what inner loops read and do not change."""
        for fetch in self.layout.fetches:
            if fetch.kind != "fetched" or fetch.level != level or fetch.tensor in self.windows:
                continue
            if self.deepest.get(fetch.tensor, 0) <= level:
                continue  # Loaded where it is read, after the inner loops perhaps.
            box = box_in(self.layout, self.layout.tensors[fetch.tensor], place.position)
            if not is_empty(box) or fetch.tensor in self.overlaps:
                self._fetch(fetch.tensor, place)

    def _load_kept(self, fetch: Fetch, place: Place) -> None:
        box: list[tuple[int, int]] = []
        for span in self.layout.tensors[fetch.tensor]:
            if span.driven:
                ranges = self.layout.tracks[span.first][span.second].new
                busy = [(a, b) for a, b in ranges if a < b]
                box.append((min(a for a, _ in busy), max(b for _, b in busy)))
            else:
                box.append((span.first, span.second))
        value = self._outside(fetch.tensor).load(place, lambda _: tuple(box))
        first = tuple(a for a, _ in box)
        self.windows[fetch.tensor] = Window(value, lambda _: first)

    def _made(self, tensor_: int, value: SSAValue, place: Place) -> None:
        """A box of a tensor is there: hand it on, and write it where it is wanted."""
        if tensor_ in self.copied:
            box = whole(shape_of(value))
            value = whole_window(value).carry(place, lambda _: box, None)
        if tensor_ in self.group.homes:
            self._write(tensor_, value, place)
        self._at_hand(tensor_, value, place)

    def _at_hand(self, tensor_: int, value: SSAValue, place: Place) -> None:
        """Put a new box behind what was kept of the tensor."""
        starts = self._starts(tensor_)
        kept = self.overlaps.get(tensor_)
        cached = self._cached_track(tensor_)
        if kept is None or cached is None:
            self.windows[tensor_] = Window(value, starts)
            return
        dimension, _ = cached
        joined = concatenated([kept, value], dimension, place)
        self.windows[tensor_] = Window(joined, self._kept_starts(tensor_))

    def _keep_at_hand(self, tensor_: int) -> None:
        """Nothing new: what was kept is all there is."""
        kept = self.overlaps.get(tensor_)
        if kept is not None:
            self.windows[tensor_] = Window(kept, self._kept_starts(tensor_))

    def _kept_starts(self, tensor_: int) -> Callable[[Position], tuple[int, ...]]:
        starts = self._starts(tensor_)
        cached = self._cached_track(tensor_)
        assert cached is not None
        dimension, track = cached
        cut = self.layout.tensors[tensor_][dimension].first

        def kept_starts(position: Position) -> tuple[int, ...]:
            found = list(starts(position))
            found[dimension] = track.overlap(position[cut])[0]
            return tuple(found)

        return kept_starts

    def _keep(self, tensor_: int, place: Place) -> None:
        """Copy what the next tile needs again."""
        cached = self._cached_track(tensor_)
        if cached is not None and tensor_ in self.fetches and tensor_ not in self.windows:
            self._fetch(tensor_, place)  # Nothing reads it yet, or any more.
        window = self.windows.get(tensor_)
        if cached is None or window is None:
            return
        dimension, track = cached
        spans = self.layout.tensors[tensor_]
        cut = spans[dimension].first

        def box(position: Position) -> Box:
            found = list(box_in(self.layout, spans, position))
            found[dimension] = track.overlap(position[cut] + 1)
            return tuple(found)

        if is_empty(box(place.position)):
            self.overlaps.pop(tensor_, None)
            return
        if window.value is self.overlaps.get(tensor_) and box_shape(
            box(place.position)
        ) == shape_of(window.value):
            return
        before = self.overlaps.get(tensor_)
        self.overlaps[tensor_] = window.carry(place, box, before)

    def _write(self, tensor_: int, value: SSAValue, place: Place) -> None:
        """Write a new box of a tensor to where readers outside of the group find it."""
        home = self.group.homes[tensor_]
        at = self.group.places.get(tensor_)
        if at is None and tensor_ not in self.outputs:
            self.outputs[tensor_] = value
            return
        spans = self.layout.tensors[tensor_]
        if any(place.position[cut] > 0 for cut in repeating_cuts(self.layout, tensor_)):
            return  # It is computed again; the first tile of that cut has written it.

        def box(position: Position) -> Box:
            found = list(box_in(self.layout, spans, position))
            for dimension, span in enumerate(spans):
                if span.driven and position[span.first] > 0:
                    # What an earlier tile has written already is computed again, not written.
                    track = self.layout.tracks[span.first][span.second]
                    before = max(b for _, b in track.new[: position[span.first]])
                    start, stop = found[dimension]
                    found[dimension] = (min(max(start, before), stop), stop)
            return tuple(found)

        if is_empty(box(place.position)):
            return
        part = Window(value, self._starts(tensor_)).take(place, box)
        if at is not None:
            room = self._in_bundle(at, len(spans))
            store = StoreOp(part, room.value, at.bundle.home, room.offsets(place, box))
            self.bundles[at.bundle] = place.builder.insert(store).result
            return
        target = self.outputs[tensor_]
        offsets = whole_window(target).offsets(place, box)
        if home is not None:
            written = place.builder.insert(StoreOp(part, target, home, offsets)).result
        else:
            written = inserted(part, target, offsets, place)
        self.outputs[tensor_] = written


def _loop_ranges(place: Place, loops_at: BoxAt) -> list[LoopRange]:
    """What a tile computes of each loop."""
    starts, values = place.indices_of(lambda position: [a for a, _ in loops_at(position)])
    return [
        LoopRange(start, stop - start, value)
        for start, (_, stop), value in zip(starts, loops_at(place.position), values, strict=True)
    ]


def _result_number(op: Operation, value: SSAValue) -> int:
    return next(number for number, result in enumerate(op.results) if result is value)


def emit_group(group: GroupToEmit, builder: Builder) -> dict[int, SSAValue]:
    """Insert a group's code; return the values of the tensors that are read outside of it.

    Values are the same bit for bit as those of the whole operations.
    """
    return _Emitter(group).emit(builder)
