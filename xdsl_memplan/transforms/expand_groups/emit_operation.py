"""A tile of one operation, or of a chain of them in slices, as code."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.trait_answers import checked_tile
from xdsl_memplan.dialects.tiling import LoopRange, Tile
from xdsl_memplan.dialects.tiling_models.tile_values import (
    box_shape,
    empty,
    shape_of,
    tile_type,
)
from xdsl_memplan.model.narrowing_chains import ChainLink, NarrowingChain
from xdsl_memplan.model.split_graph import (
    Box,
    Indirect,
    operand_box,
    result_box,
    whole,
)
from xdsl_memplan.transforms.expand_groups.axes import Axis, Counter, Place, Position
from xdsl_memplan.transforms.expand_groups.group_facts import GroupFacts
from xdsl_memplan.transforms.expand_groups.look_alikes import (
    box_in,
    is_empty,
)
from xdsl_memplan.transforms.expand_groups.shifted_pads import ShiftedPad
from xdsl_memplan.transforms.expand_groups.shifted_reshapes import ShiftedReshape
from xdsl_memplan.transforms.expand_groups.tensors_at_hand import TensorsAtHand
from xdsl_memplan.transforms.expand_groups.windows import (
    BoxAt,
    Window,
    inserted,
    whole_window,
)


@dataclass
class OperationEmitter:
    """Emits operations of a group where a tile of them is due."""

    facts: GroupFacts
    at_hand: TensorsAtHand
    sums: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What operations have added up so far."""

    def __post_init__(self) -> None:
        self.group, self.layout = self.facts.group, self.facts.layout

    def operation(self, number: int, place: Place) -> None:
        """Emit what a tile has of an operation; a chain runs with its last operation."""
        chain = self.facts.chains.get(number)
        if chain is not None and number != chain.links[-1].op:
            return  # Runs with the last of its chain.
        op = self.group.graph.ops[number]
        if op.splittable and is_empty(self.facts.loops_at(number, place.position)):
            for result in op.results:
                self.at_hand.keep_at_hand(result, place)
        elif not op.splittable:
            self._whole(number, place)
        elif chain is not None:
            size = min([chain.size, *self._streamed_sizes(chain.links, place)])
            self._in_slices(chain._replace(size=size), place)
        elif number in self.facts.streams:
            links = (ChainLink(number, self.facts.streams[number].along),)
            (size,) = self._streamed_sizes(links, place)
            self._in_slices(NarrowingChain(links, size), place)
        else:
            loops_at = self._loops_for(number)
            tile = self._tile(number, _loop_ranges(place, loops_at), place, loops_at)
            self._finish(number, tile, place)
        for done in [number] if chain is None else [link.op for link in chain.links]:
            for tensor_ in self.facts.kept_by.get(done, ()):
                self.at_hand.keep(tensor_, place)
        for result in op.results:
            if result in self.facts.kept_by.get(-1, ()):
                self.at_hand.keep(result, place)

    def _streamed_sizes(self, links: Sequence[ChainLink], place: Place) -> list[int]:
        """The slices in which operands of these operations come, in iterations of the loop."""
        number, along = links[-1]
        start, stop = self.facts.loops_at(number, place.position)[along]
        streams = [self.facts.streams[op] for op, _ in links if op in self.facts.streams]
        return [-(-(stop - start) // fetch.slices) for fetch in streams]

    def _loops_for(self, number: int) -> BoxAt:
        return lambda position: self.facts.loops_at(number, position)

    def _tile(
        self,
        number: int,
        loops: Sequence[LoopRange],
        place: Place,
        loops_at: BoxAt,
        into: Sequence[SSAValue] | None = None,
    ) -> Sequence[SSAValue]:
        op = self.group.graph.ops[number]
        pads = self.facts.shifted.pads.get(number)
        if pads is not None and operand_box(op, 0, loops_at(place.position)) is not None:
            return [self._padded_alike(number, pads, loops, place, loops_at)]
        reshapes = self.facts.shifted.reshapes.get(number)
        if reshapes is not None:
            return [self._reshaped_alike(number, reshapes, loops, place, loops_at)]
        operands: list[SSAValue | None] = [None] * len(op.operands)
        # What is written over comes first: then a part of the result is fetched into its place.
        for index in sorted(range(len(op.operands)), key=lambda index: index in op.parts):
            operand = op.operands[index]
            if isinstance(operand.access, Indirect):
                # What comes from outside is looked up where it lies: a window holds a part of it.
                is_made_here = operand.tensor in self.facts.maker
                value = self.group.values[operand.tensor]
                operands[index] = (
                    self.at_hand.windows[operand.tensor].value if is_made_here else value
                )
                continue

            def box(position: Position, index: int = index) -> Box:
                found = operand_box(op, index, loops_at(position))
                assert found is not None
                return found

            if operand_box(op, index, loops_at(place.position)) is not None:
                operands[index] = self.at_hand.take(operand.tensor, place, box)
        destinations = into
        if number in self.facts.adding and into is None:
            totals = [self.sums[result] for result in op.results if result in self.sums]
            destinations = totals if len(totals) == len(op.results) else None
        tile = Tile(loops, operands, destinations)
        return checked_tile(self.group.operations[number], tile, place.builder)

    def _padded_alike(
        self,
        number: int,
        pads: Mapping[int, ShiftedPad],
        loops: Sequence[LoopRange],
        place: Place,
        loops_at: BoxAt,
    ) -> SSAValue:
        """What a tile needs of a tensor that is padded by as much in all tiles."""
        op = self.group.graph.ops[number]

        def operand(position: Position) -> Box:
            found = operand_box(op, 0, loops_at(position))
            assert found is not None
            return tuple(
                pads[d].operand_range(position) if d in pads else range_
                for d, range_ in enumerate(found)
            )

        def padded_starts(position: Position) -> tuple[int, ...]:
            return tuple(
                pads[d].padded_start(position) if d in pads else start
                for d, (start, _) in enumerate(loops_at(position))
            )

        ranges = [
            LoopRange(pads[d].first_of_tile, pads[d].size) if d in pads else loop
            for d, loop in enumerate(loops)
        ]
        return self._part(number, operand, (ranges, padded_starts), place, loops_at)

    def _reshaped_alike(
        self,
        number: int,
        reshapes: Mapping[int, ShiftedReshape],
        loops: Sequence[LoopRange],
        place: Place,
        loops_at: BoxAt,
    ) -> SSAValue:
        """What a tile needs of a tensor of which all tiles reshape what is at hand."""
        op = self.group.graph.ops[number]

        def operand(position: Position) -> Box:
            found = operand_box(op, 0, loops_at(position))
            assert found is not None
            box = list(found)
            for reshape in reshapes.values():
                for d, range_ in zip(reshape.merged, reshape.operand_box(position), strict=True):
                    box[d] = range_
            return tuple(box)

        def starts(position: Position) -> tuple[int, ...]:
            return tuple(
                reshapes[d].run(position)[0] if d in reshapes else start
                for d, (start, _) in enumerate(loops_at(position))
            )

        runs = {d: reshape.run(place.position) for d, reshape in reshapes.items()}
        ranges = [
            LoopRange(runs[d][0], runs[d][1] - runs[d][0]) if d in runs else loop
            for d, loop in enumerate(loops)
        ]
        return self._part(number, operand, (ranges, starts), place, loops_at)

    def _part(
        self,
        number: int,
        operand: BoxAt,
        made: tuple[Sequence[LoopRange], Callable[[Position], tuple[int, ...]]],
        place: Place,
        loops_at: BoxAt,
    ) -> SSAValue:
        """What a tile needs of the more that it makes: of these loops, from these starts on."""
        ranges, starts = made
        source = self.at_hand.take(self.group.graph.ops[number].operands[0].tensor, place, operand)
        tile = Tile(ranges, [source], None)
        [result] = checked_tile(self.group.operations[number], tile, place.builder)
        return Window(result, starts).take(place, loops_at)

    def _finish(self, number: int, results: Sequence[SSAValue], place: Place) -> None:
        op = self.group.graph.ops[number]
        ir = self.group.operations[number]
        for tensor_ in op.results:
            value = results[_result_number(ir, self.group.values[tensor_])]
            if number in self.facts.adding:
                self.sums[tensor_] = value
            else:
                self.at_hand.made(tensor_, value, place)

    def _whole(self, number: int, place: Place) -> None:
        """An operation that is never split, on whole tensors."""
        op = self.group.graph.ops[number]
        mapping: dict[SSAValue, SSAValue] = {}
        for operand in op.operands:
            value = self.group.values[operand.tensor]
            shape = operand.shape
            if isinstance(operand.access, Indirect):
                continue
            mapping[value] = self.at_hand.take(operand.tensor, place, lambda _, s=shape: whole(s))
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
        streamed = {self.facts.streams[n].tensor for n, _ in chain.links if n in self.facts.streams}
        box = box_in(self.layout, self.layout.tensors[result], place.position)
        dimension = op.result_access.index(along)
        start, stop = self.facts.loops_at(number, place.position)[along]
        total = self.sums.get(result) if number in self.facts.adding else None
        is_sum = total is not None
        type_ = tile_type(self.group.values[result].type, box_shape(box))
        for link in chain.links:
            for operand in graph.ops[link.op].operands:
                # What all slices read is loaded once, before them.
                is_at_home = isinstance(operand.access, Indirect)
                is_fill = graph.tensors[operand.tensor].kind == "fill"
                in_slices = operand.tensor in streamed or operand.tensor in between
                if not in_slices and not is_at_home and not is_fill:
                    self.at_hand.window(operand.tensor, place)
        over = None if is_sum else self._written_over(chain, streamed, type_, place)
        if total is not None:
            whole_result = total
        elif over is not None:
            self.at_hand.windows[over] = self.at_hand.window(over, place)
            whole_result = self.at_hand.windows[over].value
        else:
            whole_result = empty(type_, place.builder)
        full, rest = divmod(stop - start, chain.size)

        def piece_at(position: Position) -> tuple[int, int]:
            first, end = self.facts.loops_at(number, position[:-1])[along]
            begin = first + position[-1] * chain.size
            return begin, min(begin + chain.size, end)

        def loops_of(link: ChainLink) -> BoxAt:
            def loops_at(position: Position) -> Box:
                ranges = list(self.facts.loops_at(link.op, position[:-1]))
                ranges[link.along] = piece_at(position)
                return tuple(ranges)

            return loops_at

        def slice_of(value: SSAValue, at: Place) -> SSAValue:
            if over is not None:
                # Slices that were computed already stand where others were read.
                self.at_hand.windows[over] = Window(value, self.at_hand.windows[over].starts)
            for link in chain.links:
                if link.op in self.facts.streams:
                    self._load_slice(
                        self.facts.streams[link.op].tensor, link.op, loops_of(link), at
                    )
            for link in chain.links[:-1]:
                loops_at = loops_of(link)
                made = self._tile(link.op, _loop_ranges(at, loops_at), at, loops_at)
                self._slice_made(link.op, made, loops_at)

            def part(position: Position) -> Box:
                low, high = piece_at(position)
                first, _ = self.facts.loops_at(number, position[:-1])[along]
                here = [(0, extent) for extent in shape_of(value)]
                here[dimension] = (low - first, high - first)
                return tuple(here)

            target = whole_window(value)
            into = [target.take(at, part)] if is_sum else None
            loops_at = loops_of(chain.links[-1])
            results = self._tile(number, _loop_ranges(at, loops_at), at, loops_at, into)
            made = results[_result_number(self.group.operations[number], self.group.values[result])]
            return inserted(made, value, target.offsets(at, part), at)

        kept = dict(self.at_hand.windows)
        if full >= self.group.shortest_loops.innermost:
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
            self.at_hand.windows = dict(kept)
            whole_result = slice_of(whole_result, place.inside(Axis(piece), place.builder))
        self.at_hand.windows = kept
        if number in self.facts.adding:
            self.sums[result] = whole_result
        else:
            self.at_hand.made(result, whole_result, place)

    def _load_slice(self, tensor_: int, reader: int, loops_at: BoxAt, at: Place) -> None:
        op = self.group.graph.ops[reader]
        index = next(k for k, o in enumerate(op.operands) if o.tensor == tensor_)

        def wanted(position: Position) -> Box:
            found = operand_box(op, index, loops_at(position))
            assert found is not None
            return found

        loaded = self.at_hand.outside(tensor_).load(at, wanted)
        self.at_hand.windows[tensor_] = Window(loaded, lambda p: tuple(low for low, _ in wanted(p)))

    def _slice_made(self, number: int, made: Sequence[SSAValue], loops_at: BoxAt) -> None:
        """A slice of what an operation inside of a chain makes is there."""
        op = self.group.graph.ops[number]
        (result,) = op.results
        ir = self.group.operations[number]

        def starts(position: Position) -> tuple[int, ...]:
            return tuple(low for low, _ in result_box(op, loops_at(position)))

        value = made[_result_number(ir, self.group.values[result])]
        self.at_hand.windows[result] = Window(value, starts)

    def _written_over(
        self, chain: NarrowingChain, streamed: Container[int], type_: Attribute, place: Place
    ) -> int | None:
        """An operand that dies here and whose room the result can take, slice by slice."""
        number, _ = chain.links[-1]
        op = self.group.graph.ops[number]
        # What a sum starts with is read by its first part alone.
        level = self.facts.level_of_result(number)
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
                and tensor_ not in self.group.homes
                and self.facts.last_reader.get(tensor_) == number
                and not self.facts.is_kept(tensor_)
                and self._is_whole_here(tensor_, level)
                and self.at_hand.window(tensor_, place).value.type == type_
            ):
                return tensor_
        return None

    def _is_whole_here(self, tensor_: int, level: int) -> bool:
        """Tell whether a tensor lies on chip for the tiles of these cuts alone."""
        if tensor_ in self.group.read_last and tensor_ not in self.group.places:
            return level == 0
        return self.facts.made_at(tensor_) == level and tensor_ in self.at_hand.windows


def _loop_ranges(place: Place, loops_at: BoxAt) -> list[LoopRange]:
    """What a tile computes of each loop."""
    starts, values = place.indices_of(lambda position: [a for a, _ in loops_at(position)])
    return [
        LoopRange(start, stop - start, value)
        for start, (_, stop), value in zip(starts, loops_at(place.position), values, strict=True)
    ]


def _result_number(op: Operation, value: SSAValue) -> int:
    return next(number for number, result in enumerate(op.results) if result is value)
