"""Tensors that are concatenated later lie side by side off chip: a part of all is one load."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.returned_concats import returned_concats
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp, GroupYieldOp
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.tiling_models.tile_values import empty, shape_of, tile_type
from xdsl_memplan.dialects.whole_moves import is_whole_store


@dataclass(eq=False)
class Bundle:
    """A tensor off chip with several tensors in it, one behind the other along a dimension."""

    type_: TensorType[Attribute]
    along: int
    home: str
    value: SSAValue | None = None
    """What it is after all that was expanded; None before the first tensor is written to it."""

    def current(self, builder: Builder) -> SSAValue:
        """What is in it; made where nothing is yet."""
        if self.value is None:
            self.value = empty(self.type_, builder)
        return self.value


@dataclass(frozen=True)
class BundlePlace:
    """Where a tensor lies in a bundle: its first index along the dimension of the bundle."""

    bundle: Bundle
    first: int

    def starts(self, rank: int) -> tuple[int, ...]:
        """Where the bundle starts, counted from the first element of the tensor."""
        return tuple(-self.first if d == self.bundle.along else 0 for d in range(rank))


@dataclass
class Bundles:
    """The bundles of a function, and where which tensor lies.

    A tensor is in one if it is stored off chip, and groups that fetch it are its only readers. All
    of them read the newest state of the bundle, so one buffer is enough.
    """

    places: dict[SSAValue, BundlePlace] = field(default_factory=dict[SSAValue, BundlePlace])
    put_together: list[tensor.ConcatOp] = field(default_factory=list[tensor.ConcatOp])
    """Concatenations that are returned, of parts in a bundle each."""

    @classmethod
    def of(cls, block: Block, groups: Sequence[GroupOp]) -> "Bundles":
        """Find them in a block and its groups: first what it returns, then the largest.

        Of smaller ones nothing is moved: they are a part of a larger one, or are none.

        Raises PassFailedException if the parts of what is returned are not all stored by groups.
        """
        found = cls(put_together=_stored_in_parts(block))
        returned = [([*op.operands], op.dim.value.data) for op in found.put_together]
        runs = [run for group in groups for run in _runs_in(group)]
        for parts, along in (*returned, *sorted(runs, key=_size, reverse=True)):
            if any(part in found.places for part in parts):
                continue
            ends = [0]
            for part in parts:
                ends.append(ends[-1] + shape_of(part)[along])
            shape = [*shape_of(parts[0])]
            shape[along] = ends.pop()
            home = _home(parts[0])
            assert home is not None
            bundle = Bundle(tile_type(parts[0].type, shape), along, home)
            for part, first in zip(parts, ends, strict=True):
                found.places[part] = BundlePlace(bundle, first)
        return found

    def store(self, op: StoreOp) -> None:
        """Store what is stored by itself into its bundle instead, if it is to be in one."""
        place = self.places.get(op.result)
        if place is None:
            return
        builder = Builder(InsertPoint.before(op))
        offsets = [-start for start in place.starts(len(shape_of(op.result)))]
        target = place.bundle.current(builder)
        stored = builder.insert(StoreOp(op.source, target, place.bundle.home, offsets))
        place.bundle.value = stored.result
        op.result.replace_all_uses_with(self.hand_on(op.result, builder))
        op.detach()
        op.erase()

    def take_for_concats(self) -> None:
        """Take for concatenations that are returned the bundles in which all parts are by now."""
        for op in self.put_together:
            op.results[0].replace_all_uses_with(
                self.places[op.operands[0]].bundle.current(Builder(InsertPoint.before(op)))
            )
            op.detach()
            op.erase()

    def hand_on(self, old: SSAValue, builder: Builder) -> SSAValue:
        """Take a tensor out of its bundle, now that it is in there, and know it by that."""
        place = self.places.pop(old)
        sizes = list(shape_of(old))
        offsets = [-start for start in place.starts(len(sizes))]
        ones = [1] * len(sizes)
        part = tensor.ExtractSliceOp(
            place.bundle.current(builder), offsets, sizes, ones, tile_type(old.type, sizes)
        )
        taken = builder.insert(part).result
        taken.name_hint = old.name_hint
        self.places[taken] = place
        return taken


def runs_side_by_side(
    parts: Sequence[SSAValue], along: int, place_of: Callable[[SSAValue], BundlePlace | None]
) -> list[tuple[int, int]]:
    """Which of the tensors that are concatenated lie side by side, at least two: half-open."""
    runs: list[tuple[int, int]] = []
    first = 0
    for number in range(1, len(parts) + 1):
        before = place_of(parts[number - 1])
        here = place_of(parts[number]) if number < len(parts) else None
        goes_on = (
            before is not None
            and here is not None
            and before.bundle is here.bundle
            and here.bundle.along == along
            and here.first == before.first + shape_of(parts[number - 1])[along]
        )
        if not goes_on:
            if number - first > 1:
                runs.append((first, number))
            first = number
    return runs


def _stored_in_parts(block: Block) -> list[tensor.ConcatOp]:
    """The concatenations of what groups store, for the return of a block."""
    found = returned_concats(block)
    for op in found:
        if not all(map(_home, op.operands)):
            raise PassFailedException(
                f"{describe_op(op)}: a part of it stays on chip, or is read as a whole, and no "
                "group puts the parts together: run memplan-form-layers without store-parts"
            )
    return found


def _runs_in(group: GroupOp) -> Iterator[tuple[list[SSAValue], int]]:
    """What can lie side by side of the tensors that a group concatenates."""
    for op in group.body.block.ops:
        if not isinstance(op, tensor.ConcatOp):
            continue
        run: list[SSAValue] = []
        for part in (*op.operands, None):
            home = None if part is None else _home(part)
            if part is not None and home is not None:
                if part not in run and (not run or home == _home(run[0])):
                    run.append(part)
                    continue
            if len(run) > 1:
                yield run, op.dim.value.data
            run = []


def _size(run: tuple[list[SSAValue], int]) -> int:
    return sum(prod(shape_of(part)) for part in run[0])


def _home(value: SSAValue) -> str | None:
    """The memory in which a tensor may lie in a bundle; None if it may not."""
    match value.owner:
        case GroupOp() as group:
            last = group.body.block.last_op
            assert isinstance(last, GroupYieldOp)
            [*made] = last.values
            number = group.results.index(value)
            home = group.homes.data[number].data
            if home == ON_CHIP or made.count(made[number]) > 1:
                return None
        case StoreOp() as store:
            if not is_whole_store(store):
                return None
            home = store.arena.string_value()
        case _:
            return None
    return home if all(map(_is_fetched, value.uses)) else None


def _is_fetched(use: Use) -> bool:
    """Tell whether a group comes by its operand tile by tile."""
    match use.operation:
        case GroupOp() as group:
            return not group.is_resident(use.index)
        case Operation() as op:
            # What looks elements up reads the tensor itself. Beside groups parts are put together.
            is_in_group = isinstance(op.parent_op(), GroupOp)
            return op.name == "tensor.concat" or (is_in_group and op.name != "tensor.extract")


def tensors_in(places: Iterable[BundlePlace]) -> list[Bundle]:
    """The bundles of places, each once."""
    return list(dict.fromkeys(place.bundle for place in places))
