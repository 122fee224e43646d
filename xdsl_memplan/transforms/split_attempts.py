"""Which splits and schedules are tried, and what is learned from buffers that do not fit."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.merged_places import has_merged_places
from xdsl_memplan.analysis.returned_concats import has_returned_concat
from xdsl_memplan.analysis.sliced_products import has_sliced_product
from xdsl_memplan.analysis.ways_to_form_layers import has_cheap_maker
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.dialects.parts import PARTS
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.concats_of_readers import has_large_concat
from xdsl_memplan.transforms.group_ways import (
    MISTAKES,
    GroupWay,
    GroupWays,
    groups_in,
)
from xdsl_memplan.transforms.layer_forms import (
    Form,
    WaysToFormLayers,
    add_other,
    forms_of,
    has_few_layers,
    has_very_few_layers,
    largest_concat,
)
from xdsl_memplan.transforms.left_whole import (
    functions_of,
    is_whole,
    refuse_unfetched,
    with_tiles,
    without_hint,
)
from xdsl_memplan.transforms.memplan_inline_parts import MemplanInlinePartsPass
from xdsl_memplan.transforms.split_in_parts import (
    PartsPlanner,
    bytes_moved,
    module_in_parts,
)
from xdsl_memplan.transforms.split_passes import (
    SplitOptions,
    expanding,
    forming,
    rewriting,
    searching,
)
from xdsl_memplan.transforms.trials import Run, commit, trial_of
from xdsl_memplan.transforms.whole_tensors import is_surely_larger

MOST_TRIES = 5
"""Groups or schedules are made so often, each time for less room, until the buffers fit."""

_SHARES, _FINE_SHARES = 4, 8
"""Of the memory so many parts are left free, none to all but one, for what is brought on chip
before loops; finer parts for the groups that move the fewest bytes then."""

_EXTRA_BYTES, _EXTRA_SHARE = 256, 16
"""Room taken besides what was missing, so that a few tries are enough: no more than that many
bytes, and that part of the memory."""


@dataclass(frozen=True)
class Runs:
    """How the pipeline runs passes."""

    alone: Run
    """Runs passes, and nothing after them."""
    with_plan: Run
    """Runs passes, then all that follow splitting."""


def more_to_reserve(error: CapacityExceeded, capacity: int, tries: int) -> int:
    """Return how many bytes more the next try leaves free, after so many that left too few.

    What did not fit once says little about the next try: small steps, but each twice the last. The
    groups that take more than was counted may well be the best for a little less room, too.
    """
    extra = min(_EXTRA_BYTES, capacity // _EXTRA_SHARE)
    return max(1, min(error.excess_bytes, capacity // 8) + extra) << (tries - 1)


def run_for_less_room(
    module: ModuleOp, passes: Callable[[int], list[ModulePass]], run: Run, memory: str
) -> list[PassFailedException]:
    """Run the pipeline, leaving ever more room free until the buffers fit; return the failures.

    ``passes`` makes the first passes for a number of bytes that are to be left. If the buffers fit
    in the end, `module` changes and there are no failures to return.
    """
    first = next(iter(Memories.of(module, memory).by_name.values()))
    assert first.capacity is not None
    planned = _planned_in_less_room(
        lambda reserve: trial_of(module, passes(reserve), run), first.capacity
    )
    if isinstance(planned, list):
        return planned
    commit(module, planned)
    return []


def _planned_in_less_room(
    attempt: Callable[[int], ModuleOp], capacity: int
) -> ModuleOp | list[PassFailedException]:
    """Return a planned module, made with ever more bytes left free until the buffers fit.

    Where so many bytes are left that nothing fits the rest, fewer more are left than the last time.
    In the end half of all is left: what fits there fits. Returns the failures if the buffers never
    fit.
    """
    failures: list[PassFailedException] = []
    reserve, too_few, too_many = 0, -1, capacity
    for number in range(MOST_TRIES + 1):
        if number == MOST_TRIES:
            reserve = capacity // 2
            if not too_few < reserve < too_many:
                break
        try:
            return attempt(reserve)
        except CapacityExceeded as error:
            failures.append(error)
            too_few = reserve
            reserve += more_to_reserve(error, capacity, number + 1)
        except MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
            too_many = reserve
        if reserve >= too_many:
            reserve = (too_few + too_many) // 2
        if reserve <= too_few:
            break
    return failures


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
    ways = WaysToFormLayers(module, options, run.alone)
    in_parts = module_in_parts(module, run.alone)
    tiles = ways if in_parts is module else WaysToFormLayers(in_parts, options, run.alone)
    planner = PartsPlanner(options.memory, run.alone, run.with_plan)

    def groups(reserve: int) -> list[ModulePass]:
        return [
            *rewriting(options),
            *forming(),
            *searching(options, "traffic", reserve),
            *expanding(options),
        ]

    def plan_tiles(trial: ModuleOp, passes: list[ModulePass]) -> None:
        run.alone(trial, passes)
        if options.stage == "all":
            whole = [op for op in functions_of(trial) if TRAFFIC not in op.attributes]
            refuse_unfetched(in_parts, whole)
        if in_parts is not module:
            run.alone(trial, [MemplanInlinePartsPass(options.memory)])
            planner.plan(trial)
        else:
            run.with_plan(trial, [])

    def failed_in_tiles(failure: PassFailedException) -> PassFailedException:
        if options.stage == "all":
            # Of a function that has no tiles in any memory no capacity is said to be enough.
            layers = tiles.layers_in(Form())
            whole = [op for op in functions_of(layers) if is_whole(op)]
            refuse_unfetched(in_parts, whole)
        return without_hint(module, failure)

    if options.strategy != "auto":
        if failures := run_for_less_room(in_parts, groups, plan_tiles, options.memory):
            raise failed_in_tiles(failures[0])
        commit(module, in_parts)
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

    failures = _run_in_tiles(tiles, first.capacity, Runs(run.alone, plan_tiles))
    if not failures:
        commit(module, in_parts)
        return
    if options.stage == "all":
        # Those after the first speak of less room than there is.
        raise failed_in_tiles(failures[0])
    # Operators as a whole, tensors moved off chip and back.
    if whole := whole or run_for_less_room(module, unsplit, run.with_plan, options.memory):
        raise with_tiles(module, [whole[0], failures[0]])


def _slices_apart(module: ModuleOp, options: SplitOptions) -> tuple[bool, ...]:
    """Whether slices of features are computed apart: what to try."""
    return (False, True) if options.rewrite and has_sliced_product(module) else (False,)


def _places_apart(module: ModuleOp, options: SplitOptions) -> tuple[bool, ...]:
    """Whether places of an image are in dimensions of their own: what to try."""
    return (False, True) if options.rewrite and has_merged_places(module) else (False,)


def _forms_of_least_peak(module: ModuleOp, options: SplitOptions) -> list[Form]:
    """The ways to form layers that are tried where nothing is moved off chip."""
    again = (False, True) if options.rewrite and has_cheap_maker(module) else (False,)
    places = _places_apart(module, options)
    return [
        Form(slices_apart=apart, again=once_more, places_apart=unmerged)
        for unmerged, apart, once_more in product(places, _slices_apart(module, options), again)
    ]


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


def _run_in_tiles(ways: WaysToFormLayers, capacity: int, run: Runs) -> list[PassFailedException]:
    """Run the pipeline with the groups of least traffic; return the failures.

    Of several ways to form layers that which moves the fewest bytes is taken, or what fits at all.
    What the groups of each move is known when they are found, and no less is moved if they are
    formed again for less room: only what may be best is planned, and nothing is looked for after
    groups that move each byte once. Parts of what is returned are stored, and slices of features
    computed, apart in that way which is best without, and so are cheap products computed again,
    with long norms in parts and not. With few layers large concatenations are also put together
    once for all readers, with very few all norms are also in parts, and small concatenations put
    together by each reader. Tensors older than the newest stay on chip where groups leave room,
    with very few layers also where groups for less room do. The failures are of the way that needs
    least.
    """
    module, options = ways.module, ways.options
    found = GroupWays(ways, capacity, run.alone)
    largest = largest_concat(ways.rewritten_in(Form()), capacity)
    is_small = has_very_few_layers(ways.layers_in(Form(largest_concat=largest)))
    forms = forms_of(module, capacity, largest, is_small=is_small)
    for form in forms:
        found.look(form)
    if not found.is_least and largest and has_few_layers(ways.layers_in(forms[0])):
        found.look(replace(found.best_form, largest_concat=0))
    if not found.is_least and is_small and has_large_concat(ways.rewritten_in(Form()), 1):
        found.look(replace(found.best_form, largest_concat=1))
    if not found.is_least and True in _places_apart(module, options):
        found.look(replace(found.best_form, places_apart=True))
    if not found.is_least and has_returned_concat(ways.rewritten_in(Form())):
        found.look(replace(found.best_form, store_parts=True))
    if not found.is_least and True in _slices_apart(module, options):
        found.look(replace(found.best_form, slices_apart=True))
    if not found.is_least and options.rewrite and has_cheap_maker(ways.rewritten_in(Form())):
        best_form = found.best_form
        for longest_norm in dict.fromkeys(form.longest_norm for form in forms):
            found.look(replace(best_form, longest_norm=longest_norm, again=True))
    found.look_in_less_room()
    failures = found.failures
    # What is brought on chip before a loop takes room that groups leave free.
    is_in_parts = any(PARTS in op.attributes for op in functions_of(module))
    has_shares = is_in_parts and options.stage == "all"
    best: _PlannedWay | None = None
    last = -1
    for way in found.best_first():
        if best is not None and best.rank <= way.rank and not has_shares:
            break
        planned = _planned_in_less_room(partial(_way_planned, way, options, run), capacity)
        if isinstance(planned, list):
            if way.number > last:
                last, failures = way.number, planned
            continue
        plan = _PlannedWay.of(planned, way)
        best = plan if best is None else min(best, plan)
        if has_shares:
            reserves = (capacity * n // _SHARES for n in range(1, _SHARES))
            best = min((best, *_with_room_left(way, options, run, reserves)))
    if best is None:
        return failures
    if has_shares:
        finer = (capacity * n // _FINE_SHARES for n in range(1, _FINE_SHARES, 2))
        best = min((best, *_with_room_left(best.way, options, run, finer)))
    commit(module, best.module)
    return []


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
