"""A group of layers as code: tile after tile, unrolled or in loops."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from xdsl_memplan.dialects.tiling_models.tile_values import (
    box_shape,
    empty,
    is_remade,
    remake,
    shape_of,
    tile_type,
)
from xdsl_memplan.model.tiling_plan import Span
from xdsl_memplan.transforms.expand_groups.axes import Axis, Counter, Place
from xdsl_memplan.transforms.expand_groups.bundles import tensors_in
from xdsl_memplan.transforms.expand_groups.emit_operation import OperationEmitter
from xdsl_memplan.transforms.expand_groups.group_facts import GroupFacts, GroupToEmit
from xdsl_memplan.transforms.expand_groups.look_alikes import (
    box_in,
    is_empty,
)
from xdsl_memplan.transforms.expand_groups.tensors_at_hand import TensorsAtHand
from xdsl_memplan.transforms.expand_groups.tile_runs import Run
from xdsl_memplan.transforms.expand_groups.windows import (
    Window,
)


@dataclass(frozen=True)
class Tiles:
    """What the tiles of a cut have in common."""

    outer: dict[int, Window]
    """Tensors at hand before the cut."""
    sums: list[int]
    """The operations to whose sums each tile adds a part."""
    counters: tuple[Counter, ...] = ()
    """Loops over the tiles that are open."""

    def counted_by(self, counter: Counter) -> "Tiles":
        """The same in one more loop."""
        return replace(self, counters=(*self.counters, counter))


@dataclass
class _Emitter:
    facts: GroupFacts
    at_hand: TensorsAtHand
    operations: OperationEmitter

    def __post_init__(self) -> None:
        self.group, self.layout = self.facts.group, self.facts.layout

    def emit(self, builder: Builder) -> dict[int, SSAValue]:
        """Insert the code; return the values of the tensors that are read outside."""
        place = Place((), builder)
        for bundle in tensors_in(self.group.places.values()):
            self.at_hand.bundles[bundle] = bundle.current(builder)
        for fetch in self.layout.fetches:
            if fetch.kind == "kept":
                self.at_hand.load_kept(fetch, place)
        for tensor_, home in self.group.homes.items():
            if tensor_ in self.group.places:
                continue
            if tensor_ in self.facts.over:
                self.at_hand.outputs[tensor_] = self.group.values[self.facts.over[tensor_]]
            elif self.facts.tensor_level(tensor_) > 0 or home is not None:
                type_ = self.group.values[tensor_].type
                self.at_hand.outputs[tensor_] = empty(
                    tile_type(type_, shape_of(self.group.values[tensor_])), builder
                )
        self._body(0, place)
        for bundle, value in self.at_hand.bundles.items():
            bundle.value = value
        return self.at_hand.outputs

    def _body(self, level: int, place: Place) -> None:
        before, after = self._operations_of(level)
        for number in before:
            self.operations.operation(number, place)
        if level < self.facts.cuts:
            self.at_hand.prefetch(level, place)
            self._cut(level, place)
            for tensor_ in self.facts.kept_late.get(level, ()):
                self.at_hand.keep(tensor_, place)
        for number in after:
            self.operations.operation(number, place)

    def _operations_of(self, level: int) -> tuple[list[int], list[int]]:
        sequence = self.layout.sequence
        deeper = [i for i, (_, depth) in enumerate(sequence) if depth > level]
        first = deeper[0] if deeper else len(sequence)
        own = [(i, number) for i, (number, depth) in enumerate(sequence) if depth == level]
        before = self._with_late_views([n for i, n in own if i < first])
        return before, self._with_late_views([n for i, n in own if i > first])

    def _with_late_views(self, numbers: Sequence[int]) -> list[int]:
        """The same operations; what comes from outside is shown right before it is read.

        It is loaded when it is shown. What only deeper operations read is shown last.
        """
        graph = self.group.graph
        waiting: dict[int, int] = {}
        order: list[int] = []

        def show(tensor_: int) -> None:
            view = waiting.pop(tensor_, None)
            if view is not None:
                show(graph.ops[view].operands[0].tensor)
                order.append(view)

        for number in numbers:
            op = graph.ops[number]
            if op.view and op.operands:
                source = op.operands[0].tensor
                if source not in self.facts.maker or source in waiting:
                    waiting.update(dict.fromkeys(op.results, number))
                    continue
            for operand in op.operands:
                show(operand.tensor)
            order.append(number)
        for tensor_ in list(waiting):
            show(tensor_)
        return order

    def _cut(self, cut: int, place: Place) -> None:
        outer = dict(self.at_hand.windows)
        for tensor_ in list(self.at_hand.overlaps):
            if self.facts.tensor_level(tensor_) == cut + 1:
                del self.at_hand.overlaps[tensor_]
        self.at_hand.start_borders(cut, place)
        started = self.facts.sums_started_by(cut)
        for number in started:
            self._start_sum(number, place)
        tiles = Tiles(outer, self.facts.sums_added_to_by(cut))
        self._runs(cut, self.facts.runs[cut], tiles, place)
        self.at_hand.windows = outer
        self.at_hand.end_borders(cut)
        for result in (t for number in started for t in self.group.graph.ops[number].results):
            value = self.operations.sums.pop(result, None)
            # Else this tile of the group, or all of it, needs nothing of it.
            if value is not None:
                self.at_hand.made(result, value, place)

    def _runs(self, cut: int, runs: Iterable[Run], tiles: Tiles, place: Place) -> None:
        for run in runs:
            done = 0
            shortest = self._shortest_loop(cut, run)
            while done < run.count and not (
                run.count - done >= shortest and self._can_loop(tiles.sums)
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
        self.at_hand.windows = dict(tiles.outer)
        axis = Axis(run.first + ahead, tiles.counters)
        self._body(cut + 1, place.inside(axis, place.builder))

    def _shortest_loop(self, cut: int, run: Run) -> int:
        deeper = range(cut + 1, self.facts.cuts)
        has_tiles_within = run.inner or any(self.layout.tiles(inner) > 1 for inner in deeper)
        shortest = self.group.shortest_loops
        return shortest.around if has_tiles_within else shortest.innermost

    def _can_loop(self, numbers: Iterable[int]) -> bool:
        """A loop that adds up needs a value to start with."""
        results = (t for number in numbers for t in self.group.graph.ops[number].results)
        return all(result in self.operations.sums for result in results)

    def _start_sum(self, number: int, place: Place) -> None:
        """What a reduction adds to: made anew, or computed before and read by nobody else."""
        op = self.group.operations[number]
        if len(op.results) == 1:
            (result,) = self.group.graph.ops[number].results
            outputs = [value for value in op.operands if value.type == op.results[0].type]
            self._start_result(result, outputs, place)
            return
        for result in self.group.graph.ops[number].results:
            index = op.results.index(self.group.values[result])
            output = op.operands[len(op.operands) - len(op.results) + index]
            self._start_result(result, [output], place)

    def _spans(self, result: int) -> Sequence[Span]:
        """Where a result is in a tile: as the others of its operation, if nobody reads it."""
        tensors = self.layout.tensors
        if result in tensors:
            return tensors[result]
        others = self.group.graph.ops[self.facts.maker[result]].results
        return next(tensors[other] for other in others if other in tensors)

    def _start_result(self, result: int, outputs: Sequence[SSAValue], place: Place) -> None:
        spans = self._spans(result)
        box = box_in(self.layout, spans, place.position)
        if not outputs or is_empty(box):
            return
        if is_remade(outputs[-1]):
            self.operations.sums[result] = remake(outputs[-1], box_shape(box), place.builder)
            return
        start = next(
            (
                t
                for t in self.at_hand.windows
                if self.group.values[t] is outputs[-1] and t in self.facts.maker
            ),
            None,
        )
        if start is not None and self.facts.reads[start] == 1 and start not in self.group.homes:
            value = self.at_hand.windows[start].value
            if shape_of(value) == box_shape(box):
                self.operations.sums[result] = value

    def _loop(self, cut: int, run: Run, done: int, tiles: Tiles, place: Place) -> None:
        """The tiles, or periods, of a run from number `done` on."""
        states = (
            (
                self.at_hand.outputs,
                [t for t in self.at_hand.outputs if self._written_below(t, cut)],
            ),
            (self.at_hand.overlaps, list(self.at_hand.overlaps)),
            (self.at_hand.borders, list(self.at_hand.borders)),
            (self.operations.sums, list(self.operations.sums)),
        )
        slots: list[tuple[dict[Any, SSAValue], Any]] = [
            *((table, key) for table, keys in states for key in keys),
            *((self.at_hand.bundles, bundle) for bundle in self.at_hand.bundles),
        ]
        initial = [table[key] for table, key in slots]
        block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
        for (table, key), argument in zip(slots, block.args[1:], strict=True):
            table[key] = argument
        is_clamped = self.group.cuts[cut].halo == "shift" and not run.inner
        clamped = run.count - done if is_clamped else 0
        inside = tiles.counted_by(Counter(block.args[0], run.step, clamped))
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
        return self.facts.tensor_level(tensor_) > cut


def emit_group(group: GroupToEmit, builder: Builder) -> dict[int, SSAValue]:
    """Insert a group's code; return the values of the tensors that are read outside of it.

    Values are the same bit for bit as those of the whole operations.
    """
    facts = GroupFacts(group)
    at_hand = TensorsAtHand(facts)
    return _Emitter(facts, at_hand, OperationEmitter(facts, at_hand)).emit(builder)
