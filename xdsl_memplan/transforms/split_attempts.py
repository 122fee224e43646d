"""Which splits and schedules are tried, one after another."""

from collections.abc import Callable, Iterator
from itertools import product

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.ways_to_form_layers import has_cheap_maker
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.transforms.group_ways import MISTAKES, groups_in
from xdsl_memplan.transforms.layer_forms import (
    Form,
    WaysToFormLayers,
    add_other,
    places_apart,
    slices_apart,
)
from xdsl_memplan.transforms.left_whole import with_tiles
from xdsl_memplan.transforms.less_room import run_for_less_room
from xdsl_memplan.transforms.planned_in_tiles import planned_in_tiles
from xdsl_memplan.transforms.split_passes import (
    SplitOptions,
    expanding,
    forming,
    rewriting,
    searching,
)
from xdsl_memplan.transforms.tiled_module import TiledModule
from xdsl_memplan.transforms.trials import Runs, commit, trial_of
from xdsl_memplan.transforms.whole_tensors import is_surely_larger


def run_split(
    module: ModuleOp,
    options: SplitOptions,
    unsplit: Callable[[int], list[ModulePass]],
    run: Runs,
) -> None:
    """Run the pipeline with the split that suits the objective and the memory; `module` changes.

    Without a capacity, and with `objective=peak`, the smaller of the arenas with and without
    splitting is taken, of those that fit. Else, with `stage=none`, nothing is split that fits
    whole, with `objective=traffic` with tensors moved off chip and back; if it does not, the split
    of least peak is taken if that fits, as it moves nothing, else the one of least traffic. What
    the search counts and what the buffers take may differ a little: then groups are formed again
    for less room.

    Raises PassFailedException if nothing fits, or with `stage=all` for a function without tiles,
    RefutedTiles if tiles are wrong.
    """
    tiles = TiledModule(module, options, run)
    ways = WaysToFormLayers(module, options, run.alone) if tiles.has_parts else tiles.ways

    def groups(reserve: int) -> list[ModulePass]:
        return [
            *rewriting(options),
            *forming(),
            *searching(options, "traffic", reserve),
            *expanding(options),
        ]

    if options.strategy != "auto":
        if failures := run_for_less_room(tiles.in_parts, groups, tiles.plan, options.memory):
            raise tiles.report(failures[0])
        commit(module, tiles.in_parts)
        return
    memories = Memories.of(module, options.memory)
    first, *others = memories.by_name.values()
    if first.capacity is None or options.objective == "peak":
        _take_smaller(module, options, unsplit(0), run, first.name)
        return
    tiles_at_once = options.stage == "all" and bool(others)
    whole: list[PassFailedException] = []
    if options.objective == "traffic" and not tiles_at_once:
        whole = run_for_less_room(module, unsplit, run.with_plan, options.memory)
        if not whole:
            return
    if not tiles_at_once:
        # Where there is no other memory the report says what the operations need as a whole.
        is_larger = bool(others) and options.rewrite and is_surely_larger(module, first.capacity)
        tries_whole = not whole and not is_larger
        failures = whole[:1]
        for attempt in _moving_nothing(ways, first.capacity, run, tries_whole, bool(unsplit(0))):
            try:
                commit(module, attempt())
                return
            except MISTAKES:
                raise
            except PassFailedException as error:
                failures.append(error)
        if not others:
            raise with_tiles(module, failures)

    planned = planned_in_tiles(tiles, first.capacity)
    if isinstance(planned, ModuleOp):
        commit(module, planned)
        return
    if options.stage == "all":
        # Those after the first speak of less room than there is.
        raise tiles.report(planned[0])
    # Operators as a whole, tensors moved off chip and back.
    if whole := whole or run_for_less_room(module, unsplit, run.with_plan, options.memory):
        raise with_tiles(module, [whole[0], planned[0]])


def _forms_of_least_peak(module: ModuleOp, options: SplitOptions) -> list[Form]:
    """The ways to form layers that are tried where nothing is moved off chip."""
    again = (False, True) if options.rewrite and has_cheap_maker(module) else (False,)
    places = places_apart(module, options)
    return [
        Form(slices_apart=apart, again=once_more, places_apart=unmerged)
        for unmerged, apart, once_more in product(places, slices_apart(module, options), again)
    ]


def _moving_nothing(
    ways: WaysToFormLayers, capacity: int, run: Runs, tries_whole: bool, may_reorder: bool
) -> Iterator[Callable[[], ModuleOp]]:
    """What is tried before anything is moved off chip; each makes a planned module."""
    from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

    module, options = ways.module, ways.options
    if tries_whole:
        order = MemplanSchedulePass(objective="peak", memory=options.memory)
        yield lambda: trial_of(module, [order] if may_reorder else [], run.with_plan)
    search = searching(options, "peak")
    for form in _forms_of_least_peak(module, options):

        def attempt(form: Form = form) -> ModuleOp:
            groups = trial_of(ways.layers_in(form), search, run.alone)
            return _planned_if_it_fits(groups, options, capacity, run)

        yield attempt


def _planned_if_it_fits(
    groups: ModuleOp, options: SplitOptions, capacity: int, run: Runs
) -> ModuleOp:
    """Plan the tiles of groups of least peak; `groups` may change.

    Where the search counts more bytes than there are, most plans do not fit, and those tiles need
    no check: that is left until their plan fits.
    """
    from xdsl_memplan.transforms.memplan_expand_groups import refuse_refuted_tiles

    counted = max((op.cost.cost.peak for op in groups_in(groups)), default=0)
    if not options.check or counted <= capacity:
        run.with_plan(groups, expanding(options))
        return groups
    planned = trial_of(groups, expanding(options, check=False), run.alone)
    tiled = copied_operation(planned)
    run.with_plan(planned, [])
    refuse_refuted_tiles(groups, tiled, options.max_recompute)
    return planned


def _take_smaller(
    module: ModuleOp, options: SplitOptions, unsplit: list[ModulePass], run: Runs, arena: str
) -> None:
    """Take the smallest arena: of operations as a whole, and of tiles in two orders.

    Layers are formed in the order of the file, and in that which is best for the whole operations;
    mostly they are the same. Where slices of features can be computed apart, or cheap products
    again, that is tried, too.
    """
    trials: list[ModuleOp] = []
    failures: list[PassFailedException] = []
    starts = [module]
    try:
        whole = trial_of(module, unsplit, run.alone)
        starts.append(copied_operation(whole))
        run.with_plan(whole, [])
        trials.append(whole)
    except MISTAKES:
        raise
    except PassFailedException as error:
        failures.append(error)
    formed: list[ModuleOp] = []
    for ways, form in product(
        [WaysToFormLayers(start, options, run.alone) for start in starts],
        _forms_of_least_peak(module, options),
    ):
        try:
            layers = ways.layers_in(form)
            if add_other(formed, layers):
                tiles = [*searching(options, "peak"), *expanding(options)]
                trials.append(trial_of(layers, tiles, run.with_plan))
        except MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
    if not trials:
        raise with_tiles(module, failures)
    commit(module, min(trials, key=lambda trial: _arena_bytes(trial, arena)))


def _arena_bytes(module: ModuleOp, name: str) -> int:
    for op in module.body.block.ops:
        if isinstance(op, ArenaOp) and op.sym_name.data == name and op.size is not None:
            return op.size.value.data
    return 0
