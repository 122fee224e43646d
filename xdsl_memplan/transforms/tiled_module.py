"""A module in tiles: which groups are planned, and for how much room."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.returned_concats import has_returned_concat
from xdsl_memplan.analysis.ways_to_form_layers import has_cheap_maker
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.transforms.concats_of_readers import has_large_concat
from xdsl_memplan.transforms.group_ways import MISTAKES, GroupWay, GroupWays, bytes_counted
from xdsl_memplan.transforms.layer_forms import (
    Form,
    WaysToFormLayers,
    forms_of,
    has_few_layers,
    has_very_few_layers,
    largest_concat,
    places_apart,
    slices_apart,
)
from xdsl_memplan.transforms.left_whole import (
    functions_of,
    is_whole,
    refuse_unfetched,
    without_hint,
)
from xdsl_memplan.transforms.less_room import planned_in_less_room
from xdsl_memplan.transforms.memplan_inline_parts import MemplanInlinePartsPass
from xdsl_memplan.transforms.split_in_parts import PartsPlanner, bytes_moved, module_in_parts
from xdsl_memplan.transforms.split_passes import SplitOptions, expanding, searching
from xdsl_memplan.transforms.trials import Runs, trial_of

_SHARES, _FINE_SHARES = 4, 8
"""Of the memory so many parts are left free, none to all but one, for what is brought on chip
before loops; finer parts for the groups that move the fewest bytes then."""


@dataclass(frozen=True, order=True)
class _PlannedWay:
    """A planned module; the least is the best."""

    rank: tuple[int, int]
    """The bytes it moves, and the number of its way."""
    module: ModuleOp = field(compare=False)
    way: GroupWay = field(compare=False)

    @classmethod
    def of(cls, module: ModuleOp, way: GroupWay) -> "_PlannedWay":
        return cls((bytes_moved(module), way.number), module, way)


@dataclass(frozen=True)
class TiledModule:
    """A module that is computed in tiles, or whose loops and branches hold what is."""

    module: ModuleOp
    options: SplitOptions
    run: Runs
    shares_below: int | None = None
    """Where there are loops all ways to form layers are planned, and groups also found for parts of
    the memory; with a number of bytes one way is planned, and with very few layers these parts if
    it moves fewer."""

    @cached_property
    def in_parts(self) -> ModuleOp:
        """A copy in which what loops and branches hold are functions; else the module itself."""
        return module_in_parts(self.module, self.run.alone)

    @property
    def has_parts(self) -> bool:
        """Whether there are loops and branches."""
        return self.in_parts is not self.module

    @cached_property
    def ways(self) -> WaysToFormLayers:
        """The ways to form its layers."""
        return WaysToFormLayers(self.in_parts, self.options, self.run.alone)

    @cached_property
    def _planner(self) -> PartsPlanner:
        return PartsPlanner(self.options.memory, self.run.alone, self.run.with_plan)

    def plan(self, trial: ModuleOp, passes: list[ModulePass]) -> None:
        """Run passes on a copy, and all that follow splitting.

        Raises PassFailedException if what that makes does not fit, or with `stage=all` for a
        function without tiles.
        """
        self.run.alone(trial, passes)
        if self.options.stage == "all":
            whole = [op for op in functions_of(trial) if TRAFFIC not in op.attributes]
            refuse_unfetched(self.in_parts, whole)
        if self.has_parts:
            self.run.alone(trial, [MemplanInlinePartsPass(self.options.memory)])
            self._planner.plan(trial)
        else:
            self.run.with_plan(trial, [])

    def report(self, failure: PassFailedException) -> PassFailedException:
        """What to say where it does not fit.

        Raises PassFailedException with `stage=all` for a function without tiles: of that no
        capacity is said to be enough.
        """
        if self.options.stage == "all":
            layers = self.ways.layers_in(Form())
            refuse_unfetched(self.in_parts, [op for op in functions_of(layers) if is_whole(op)])
        return without_hint(self.module, failure)

    def bytes_counted(self) -> int | None:
        """The bytes that groups of the usual layers move, each part once; None if none fit."""
        layers = self.ways.layers_in(Form())
        try:
            groups = trial_of(layers, searching(self.options, "traffic"), self.run.alone)
        except MISTAKES:
            raise
        except PassFailedException:
            return None
        return bytes_counted(groups)

    def planned(self, capacity: int) -> ModuleOp | list[PassFailedException]:
        """Return the module planned with the groups of least traffic, or why that does not fit.

        Of several ways to form layers that which moves the fewest bytes is taken, or what fits at
        all. What the groups of each move is known when they are found, and no less is moved if they
        are formed again for less room: only what may be best is planned, and nothing is looked for
        after groups that move each byte once. Parts of what is returned are stored, and slices of
        features computed, apart in that way which is best without, and so are cheap products
        computed again, with long norms in parts and not. With few layers large concatenations are
        also put together once for all readers, with very few all norms are also in parts, and small
        concatenations put together by each reader. Tensors older than the newest stay on chip where
        groups leave room, with very few layers also where groups for less room do. The failures are
        of the way that needs least.

        To be called once: ways that were looked at are not looked at again.
        """
        module, options, ways = self.in_parts, self.options, self.ways
        found = GroupWays(ways, capacity, self.run.alone)
        largest = largest_concat(ways.rewritten_in(Form()), capacity)
        is_small = has_very_few_layers(ways.layers_in(Form(largest_concat=largest)))
        forms = forms_of(module, capacity, largest, is_small=is_small)
        for form in forms:
            found.look(form)
        if not found.is_least and largest and has_few_layers(ways.layers_in(forms[0])):
            found.look(replace(found.best_form, largest_concat=0))
        if not found.is_least and is_small and has_large_concat(ways.rewritten_in(Form()), 1):
            found.look(replace(found.best_form, largest_concat=1))
        if not found.is_least and True in places_apart(module, options):
            found.look(replace(found.best_form, places_apart=True))
        if not found.is_least and has_returned_concat(ways.rewritten_in(Form())):
            found.look(replace(found.best_form, store_parts=True))
        if not found.is_least and True in slices_apart(module, options):
            found.look(replace(found.best_form, slices_apart=True))
        if not found.is_least and options.rewrite and has_cheap_maker(ways.rewritten_in(Form())):
            best_form = found.best_form
            for longest_norm in dict.fromkeys(form.longest_norm for form in forms):
                found.look(replace(best_form, longest_norm=longest_norm, again=True))
        found.look_in_less_room()
        failures = found.failures
        # What is brought on chip before a loop takes room that groups leave free.
        has_shares = self.has_parts and options.stage == "all"
        # What groups in loops move is counted once, whatever the number of iterations: no count
        # tells that another way is worse.
        is_only = self.shares_below is not None
        of_all = has_shares and not is_only
        quarters = [capacity * n // _SHARES for n in range(1, _SHARES)]
        best: _PlannedWay | None = None
        last = -1
        run = Runs(self.run.alone, self.plan)
        for way in found.best_first():
            if best is not None and not of_all and (is_only or best.rank <= way.rank):
                break
            planned = planned_in_less_room(partial(_way_planned, way, options, run), capacity)
            if isinstance(planned, list):
                if way.number > last:
                    last, failures = way.number, planned
                continue
            plan = _PlannedWay.of(planned, way)
            best = plan if best is None else min(best, plan)
            if of_all:
                best = min((best, *_with_room_left(way, options, run, quarters)))
        if best is None:
            return failures
        if of_all:
            eighths = [capacity * n // _FINE_SHARES for n in range(1, _FINE_SHARES, 2)]
            best = min((best, *_with_room_left(best.way, options, run, eighths)))
        elif has_shares and best.rank[0] < (self.shares_below or 0) and is_small:
            best = min((best, *_with_room_left(best.way, options, run, quarters)))
        return best.module


def _way_planned(way: GroupWay, options: SplitOptions, run: Runs, reserve: int) -> ModuleOp:
    """A way to form groups, planned with so many bytes left free."""
    less = way.searching(options, reserve)
    trial = way.groups if reserve == 0 else trial_of(way.layers, less, run.alone)
    run.with_plan(trial, expanding(options))
    return trial


def _with_room_left(
    way: GroupWay, options: SplitOptions, run: Runs, reserves: Iterable[int]
) -> Iterator[_PlannedWay]:
    """The plans with so many bytes left free, of those that fit."""
    for reserve in reserves:
        try:
            yield _PlannedWay.of(_way_planned(way, options, run, reserve), way)
        except MISTAKES:
            raise
        except PassFailedException:
            continue
