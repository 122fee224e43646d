"""Groups of least traffic, found for layers that were formed in several ways."""

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.trait_answers import WrongAnswerError
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.off_chip import FLOOR, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.layer_forms import Form, WaysToFormLayers, has_very_few_layers
from xdsl_memplan.transforms.memplan_group import LayerTooLarge
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles
from xdsl_memplan.transforms.split_passes import SplitOptions, keeping, searching
from xdsl_memplan.transforms.trials import Run, trial_of

MISTAKES = (RefutedTiles, WrongAnswerError)
"""Failures by mistakes in code, ours or a client's: no other split mends them."""

_ROOMS = ((7, 8), (3, 4), (1, 2), (1, 4), (1, 8), (1, 16))
"""With very few layers groups are also found in such parts of the room that the best groups take,
and tensors kept in all of the memory, until they move so many times the bytes of the best; for
other layers as well, whose groups move no more than so many times these bytes:"""

_MOST_TIMES, _NEARLY = 1.25, 1.05


class GroupWay(NamedTuple):
    """Groups that were found in one way, and what they move."""

    counted: int
    """Bytes that the groups move in all, as the search counts them."""
    number: int
    """Of the way to form layers."""
    layers: ModuleOp
    groups: ModuleOp
    less_room: int = 0
    """Bytes that the groups leave free for tensors that stay on chip between them."""
    keeps: bool = False
    """Whether older tensors than the newest stay on chip."""

    @property
    def rank(self) -> tuple[int, int]:
        """Less is better."""
        return self.counted, self.number

    def searching(self, options: SplitOptions, reserve: int) -> list[ModulePass]:
        """The passes that find them, with so many bytes left free besides."""
        found = searching(options, "traffic", self.less_room + reserve)
        return [*found, *keeping(options, reserve)] if self.keeps else found


@dataclass
class GroupWays:
    """What was found so far, in a memory of so many bytes."""

    ways: WaysToFormLayers
    capacity: int
    run: Run
    """Runs passes, and nothing after them."""
    found: list[GroupWay] = field(default_factory=list[GroupWay])
    failures: list[PassFailedException] = field(default_factory=list[PassFailedException])
    """Why nothing fits, of the way that needs least; none where something does."""
    is_least: bool = False
    """Whether each byte is moved once: nothing better is looked for."""

    def look(self, form: Form) -> None:
        """Find groups for layers formed in a way, if they differ from all before.

        Raises what `MISTAKES` names.
        """
        layers = None if self.is_least else self.ways.other(form)
        if layers is None:
            return
        number = self.ways.last
        try:
            groups = trial_of(layers, searching(self.ways.options, "traffic"), self.run)
        except MISTAKES:
            raise
        except PassFailedException as error:
            self.failures = [min([*self.failures, error], key=_bytes_for_all)]
            return
        self.failures = []
        plain = GroupWay(bytes_counted(groups), number, layers, groups)
        self._add(plain)
        if not self.is_least:
            kept = self._with_tensors_kept(plain)
            if kept.counted < plain.counted:
                self._add(kept)

    def look_in_less_room(self) -> None:
        """Find groups that leave room for tensors between them, for the best layers so far.

        Only where layers are very few, and there also for layers that are nearly as good. Groups
        for less room may also move fewer bytes themselves: by their price those for more room have
        fewer moves.

        Raises what `MISTAKES` names.
        """
        least = min((way.counted for way in self.found), default=0)
        numbers: set[int] = set()
        for way in self.best_first():
            is_near = way.counted <= _NEARLY * least
            if is_near and way.number not in numbers and has_very_few_layers(way.layers):
                numbers.add(way.number)
                self._look_in_less_room(way)

    def _look_in_less_room(self, best: GroupWay) -> None:
        if self.is_least:
            return
        taken = max(group.cost.cost.peak for group in groups_in(best.groups))
        for part, parts in _ROOMS:
            room = min(self.capacity, taken) * part // parts
            less = best._replace(less_room=self.capacity - room, keeps=False)
            try:
                groups = trial_of(best.layers, less.searching(self.ways.options, 0), self.run)
            except MISTAKES:
                raise
            except PassFailedException:
                break  # In still less room nothing fits.
            new = self._with_tensors_kept(less._replace(groups=groups))
            least = min(way.rank for way in self.found)
            if new.rank < least:
                self._add(new)
            if self.is_least or new.counted > _MOST_TIMES * least[0]:
                break

    def _with_tensors_kept(self, way: GroupWay) -> GroupWay:
        groups = trial_of(way.groups, keeping(self.ways.options), self.run)
        return way._replace(counted=bytes_counted(groups), groups=groups, keeps=True)

    def _add(self, way: GroupWay) -> None:
        self.found.append(way)
        self.is_least = way.counted == entries_of_traffic(way.groups, FLOOR)

    @property
    def best_form(self) -> Form:
        """The way to form layers that moves the fewest bytes; the last one if nothing fits."""
        best = min((way.rank for way in self.found), default=(0, self.ways.last))
        return self.ways.forms[best[1]]

    def best_first(self) -> list[GroupWay]:
        """List what was found, the fewest bytes first."""
        return sorted(self.found, key=lambda way: way.rank)


def bytes_counted(module: ModuleOp) -> int:
    """The bytes that groups move in all, as the search counts them."""
    return sum(group.cost.cost.traffic for group in groups_in(module))


def groups_in(module: ModuleOp) -> list[GroupOp]:
    """List the groups of a module, in their order."""
    return [op for op in operations_in(module) if isinstance(op, GroupOp)]


def _bytes_for_all(failure: PassFailedException) -> float:
    """The capacity that a report says would do; infinite if it names none."""
    needed = failure.smallest_for_all if isinstance(failure, LayerTooLarge) else None
    return inf if needed is None else needed


def entries_of_traffic(module: ModuleOp, entry: str) -> int:
    """The sum of an entry of all functions' traffic; 0 where none has it."""
    total = 0
    for op in operations_in(module):
        traffic = op.attributes.get(TRAFFIC) if isinstance(op, FuncOp) else None
        known = traffic.data.get(entry) if isinstance(traffic, DictionaryAttr) else None
        total += known.value.data if isinstance(known, IntegerAttr) else 0
    return total
