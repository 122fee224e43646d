"""Which splits and schedules are tried, and what is learned from buffers that do not fit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.returned_concats import has_returned_concat
from xdsl_memplan.analysis.sliced_products import has_sliced_product
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.trait_answers import WrongAnswerError
from xdsl_memplan.analysis.ways_to_form_layers import (
    has_cheap_maker,
    has_long_norm,
    has_turned_operand,
)
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import FLOOR, TOTAL, TRAFFIC
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles
from xdsl_memplan.transforms.split_passes import (
    SplitOptions,
    expanding,
    forming,
    rewriting,
    searching,
)

MOST_TRIES = 5
"""Groups or schedules are made so often, each time for less room, until the buffers fit."""

_MISTAKES = (RefutedTiles, WrongAnswerError)
"""Failures by mistakes in code, ours or a client's: no other split mends them."""

_HINT = "what may help"
"""What a line of a report begins with that advises tiles."""

_LONG_NORM = 16
"""A softmax or normalisation is tried in parts, too, where a row is more than this part of the
memory."""

_EXTRA_BYTES, _EXTRA_SHARE = 256, 16
"""Room taken besides what was missing, so that a few tries are enough: no more than that many
bytes, and that part of the memory."""


Run = Callable[[ModuleOp, list[ModulePass]], None]
"""Runs passes; where it plans, all that follow splitting after them."""


@dataclass(frozen=True)
class Runs:
    """How the pipeline runs passes."""

    alone: Run
    """Runs passes, and nothing after them."""
    with_plan: Run
    """Runs passes, then all that follow splitting."""


def more_to_reserve(error: CapacityExceeded, capacity: int) -> int:
    """Return how many bytes more the next try leaves free.

    What did not fit once says little about the next try: small steps.
    """
    extra = min(_EXTRA_BYTES, capacity // _EXTRA_SHARE)
    return max(1, min(error.excess_bytes, capacity // 8) + extra)


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
        lambda reserve: _trial(module, passes(reserve), run), first.capacity
    )
    if isinstance(planned, list):
        return planned
    _commit(module, planned)
    return []


def _planned_in_less_room(
    attempt: Callable[[int], ModuleOp], capacity: int
) -> ModuleOp | list[PassFailedException]:
    """Return a planned module, made with ever more bytes left free until the buffers fit.

    Where so many bytes are left that nothing fits the rest, fewer more are left than the last time.
    Returns the failures if the buffers never fit.
    """
    failures: list[PassFailedException] = []
    reserve, too_few, too_many = 0, -1, capacity
    for _ in range(MOST_TRIES):
        try:
            return attempt(reserve)
        except CapacityExceeded as error:
            failures.append(error)
            too_few = reserve
            reserve += more_to_reserve(error, capacity)
        except _MISTAKES:
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

    def groups(reserve: int) -> list[ModulePass]:
        return _splitting(options, "traffic", reserve)

    def plan_tiles(trial: ModuleOp, passes: list[ModulePass]) -> None:
        run.with_plan(trial, passes)
        if options.stage == "all":
            _refuse_unfetched(module, [op for op in _functions(trial) if not _has_traffic(op)])

    def failed_in_tiles(failure: PassFailedException) -> PassFailedException:
        if options.stage == "all":
            # Of a function that has no tiles in any memory no capacity is said to be enough.
            layers = _trial(module, [*rewriting(options), *forming()], run.alone)
            whole = [op for op in _functions(layers) if _why_not_split(op) is not None]
            _refuse_unfetched(module, whole)
        return _without_hint(module, failure)

    if options.strategy != "auto":
        if failures := run_for_less_room(module, groups, plan_tiles, options.memory):
            raise failed_in_tiles(failures[0])
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
    failures = whole[:1]
    for passes in _moving_nothing(module, options, bool(whole), bool(unsplit(0))):
        if tiles_at_once:
            break
        try:
            _commit(module, _trial(module, passes, run.with_plan))
            return
        except _MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
    if not others:
        raise _with_tiles(module, failures)

    failures = _run_in_tiles(module, options, first.capacity, Runs(run.alone, plan_tiles))
    if failures and options.stage == "all":
        # Those after the first speak of less room than there is.
        raise failed_in_tiles(failures[0])
    # Operators as a whole, tensors moved off chip and back.
    if failures and (
        whole := whole or run_for_less_room(module, unsplit, run.with_plan, options.memory)
    ):
        raise _with_tiles(module, [whole[0], failures[0]])


def _slices_apart(module: ModuleOp, options: SplitOptions) -> tuple[bool, ...]:
    """Whether slices of features are computed apart: what to try."""
    return (False, True) if options.rewrite and has_sliced_product(module) else (False,)


def _rewritings(module: ModuleOp, options: SplitOptions) -> list[tuple[bool, bool]]:
    """Whether slices of features are computed apart, and cheap products again: what to try."""
    again = (False, True) if options.rewrite and has_cheap_maker(module) else (False,)
    return [*product(_slices_apart(module, options), again)]


def _splitting(
    options: SplitOptions,
    objective: str,
    reserve: int = 0,
    *,
    slices_apart: bool = False,
    again: bool = False,
) -> list[ModulePass]:
    """All passes that split a module, layers being formed as is usual."""
    return [
        *rewriting(options, slices_apart, again),
        *forming(),
        *searching(options, objective, reserve),
        *expanding(options),
    ]


def _run_in_tiles(
    module: ModuleOp, options: SplitOptions, capacity: int, run: Runs
) -> list[PassFailedException]:
    """Run the pipeline with the groups of least traffic; return the failures.

    Of several ways to form layers that which moves the fewest bytes is taken, or what fits at all.
    What the groups of each move is known when they are found, and no less is moved if they are
    formed again for less room: only what may be best is planned, and nothing is looked for after
    groups that move each byte once. Parts of what is returned are stored, and slices of features
    computed, apart in that way which is best without, and so are cheap products computed again. The
    failures are of the last way, which needs least.
    """
    failures: list[PassFailedException] = []
    found: list[tuple[int, int, ModuleOp, ModuleOp]] = []
    ways = _WaysToFormLayers(module, options, run.alone)

    is_least = False

    def look(form: Form) -> None:
        nonlocal failures, is_least
        layers = None if is_least else ways.other(form)
        if layers is None:
            return
        try:
            groups = _trial(layers, searching(options, "traffic"), run.alone)
            counted = _bytes_counted(groups)
            found.append((counted, ways.last, layers, groups))
            is_least = counted == _entries_of_traffic(groups, FLOOR)
            failures = []
        except _MISTAKES:
            raise
        except PassFailedException as error:
            failures = [error]

    def best_way() -> int:
        return min((way[:2] for way in found), default=(0, ways.last))[1]

    for form in forms_of(module, capacity):
        look(form)
    if not is_least and has_returned_concat(ways.rewritten[False, False]):
        look(replace(ways.forms[best_way()], store_parts=True))
    if not is_least and True in _slices_apart(module, options):
        look(replace(ways.forms[best_way()], slices_apart=True))
    if not is_least and options.rewrite and has_cheap_maker(ways.rewritten[False, False]):
        look(replace(ways.forms[best_way()], again=True))
    best: tuple[int, int, ModuleOp] | None = None
    last = -1
    for counted, number, layers, groups in sorted(found, key=lambda way: way[:2]):
        if best is not None and best[:2] <= (counted, number):
            break

        def attempt(reserve: int, layers: ModuleOp = layers, groups: ModuleOp = groups) -> ModuleOp:
            less = searching(options, "traffic", reserve)
            trial = groups if reserve == 0 else _trial(layers, less, run.alone)
            run.with_plan(trial, expanding(options))
            return trial

        planned = _planned_in_less_room(attempt, capacity)
        if isinstance(planned, list):
            if number > last:
                last, failures = number, planned
        elif best is None or (_bytes_moved(planned), number) < best[:2]:
            best = _bytes_moved(planned), number, planned
    if best is None:
        return failures
    _commit(module, best[2])
    return []


@dataclass(frozen=True)
class Form:
    """A way to form layers."""

    longest_norm: int = 0
    """Softmax and normalisations of longer rows, in bytes, are in parts; 0: none are."""
    turned_apart: bool = False
    """Operands that a rotary embedding makes are layers of their own, and do not go with their
    reader."""
    store_parts: bool = False
    """Of what is only put together for the return each part is stored where it lies."""
    slices_apart: bool = False
    """Slices of features are computed apart."""
    again: bool = False
    """Cheap products are computed again for each reader."""

    def forming(self) -> list[ModulePass]:
        """The pass that forms the layers."""
        return forming(self.longest_norm, self.turned_apart, self.store_parts)


def forms_of(module: ModuleOp, capacity: int) -> list[Form]:
    """Ways to form layers that may differ, but for slices."""
    longest = max(1, capacity // _LONG_NORM)
    norms = (0, longest) if has_long_norm(module, longest) else (0,)
    turned = (False, True) if has_turned_operand(module) else (False,)
    return [Form(norm, apart) for apart in turned for norm in norms]


@dataclass
class _WaysToFormLayers:
    """Copies of a module with its layers, formed in ways that differ.

    A long sum may be a layer in any way, as the mean of squeeze and excitation is: the same layers
    are there once.
    """

    module: ModuleOp
    options: SplitOptions
    run: Run
    forms: list[Form] = field(default_factory=list[Form])
    layers: list[ModuleOp] = field(default_factory=list[ModuleOp])
    rewritten: dict[tuple[bool, bool], ModuleOp] = field(
        default_factory=dict[tuple[bool, bool], ModuleOp]
    )

    @property
    def last(self) -> int:
        """The number of the last way."""
        return len(self.layers) - 1

    def other(self, form: Form) -> ModuleOp | None:
        """Form layers in another way; None if they are the same as in one before."""
        way = form.slices_apart, form.again
        if way not in self.rewritten:
            self.rewritten[way] = _trial(self.module, rewriting(self.options, *way), self.run)
        layers = _trial(self.rewritten[way], form.forming(), self.run)
        if not _add_other(self.layers, layers):
            return None
        self.forms.append(form)
        return layers


def _add_other(modules: list[ModuleOp], module: ModuleOp) -> bool:
    """Add a module if none is the same; tell whether it was added."""
    if any(module.is_structurally_equivalent(other) for other in modules):
        return False
    modules.append(module)
    return True


def _refuse_unfetched(module: ModuleOp, whole: Sequence[FuncOp]) -> None:
    """Refuse functions that compute tensors but have no tiles: nothing would fetch their operands.

    ``whole`` are those without tiles, after passes on a copy of `module`.
    """
    names = {op.sym_name.data for op in whole}
    left = [op for op in _functions(module) if op.sym_name.data in names and _computes_tensors(op)]
    if reasons := _why_whole(left):
        advice = "operands are fetched by tiles; with stage=none they are read where they are"
        raise PassFailedException("\n".join([f"option stage=all: {advice}", *reasons]))


def _functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that have a body."""
    return [op for op in module.walk() if isinstance(op, FuncOp) and op.body.blocks]


def _has_traffic(function: FuncOp) -> bool:
    return TRAFFIC in function.attributes


def _computes_tensors(function: FuncOp) -> bool:
    """Tell whether operations have tensors besides calls and the last, which returns."""
    return any(
        is_tensor(value.type)
        for block in function.body.blocks
        for op in block.ops
        if op is not block.last_op and not isinstance(op, CallOp)
        for value in (*op.operands, *op.results)
    )


def _bytes_counted(module: ModuleOp) -> int:
    """The bytes that groups move in all, as the search counts them."""
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


def _bytes_moved(module: ModuleOp) -> int:
    """The bytes that functions say they move in all; 0 where arguments are read where they are."""
    return _entries_of_traffic(module, TOTAL)


def _entries_of_traffic(module: ModuleOp, entry: str) -> int:
    """The sum of an entry of all functions' traffic; 0 where none has it."""
    total = 0
    for op in module.walk():
        traffic = op.attributes.get(TRAFFIC) if isinstance(op, FuncOp) else None
        known = traffic.data.get(entry) if isinstance(traffic, DictionaryAttr) else None
        total += known.value.data if isinstance(known, IntegerAttr) else 0
    return total


def _with_tiles(module: ModuleOp, failures: list[PassFailedException]) -> PassFailedException:
    """The first failure, of operations as a whole, and what was in the way of tiles."""
    whole, *_, tiles = failures
    if str(whole) == str(tiles) or _not_split(module):
        return _without_hint(module, whole)
    kept = [line for line in str(whole).splitlines() if not line.startswith(_HINT)]
    first = str(tiles).partition("\n")[0]
    return PassFailedException("\n".join([*kept, f"in tiles it does not fit either: {first}"]))


def _without_hint(module: ModuleOp, failure: PassFailedException) -> PassFailedException:
    """A failure that does not advise tiles: they were tried, or there is a reason why not."""
    lines = str(failure).splitlines()
    if not any(line.startswith(_HINT) for line in lines):
        return failure
    kept = [line for line in lines if not line.startswith(_HINT)]
    return PassFailedException("\n".join([*kept, *_not_split(module)]))


def _not_split(module: ModuleOp) -> list[str]:
    """Why functions are not split, a line each."""
    return _why_whole(_functions(module))


def _why_whole(functions: Sequence[FuncOp]) -> list[str]:
    reasons = [(function, _why_not_split(function)) for function in functions]
    return [f"@{op.sym_name.data} is not split: {why}" for op, why in reasons if why is not None]


def _why_not_split(function: FuncOp) -> str | None:
    from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
    from xdsl_memplan.transforms.memplan_form_layers import why_left_alone
    from xdsl_memplan.transforms.memplan_group import why_whole

    if (why := why_left_alone(function)) is not None:
        return why
    try:
        return why_whole(FunctionSplitGraph.of(function))
    except ValueError as error:
        return str(error)


def _moving_nothing(
    module: ModuleOp, options: SplitOptions, whole_was_tried: bool, may_reorder: bool
) -> Iterator[list[ModulePass]]:
    """What is tried before anything is moved off chip."""
    from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

    if not whole_was_tried:
        yield [MemplanSchedulePass(objective="peak", memory=options.memory)] if may_reorder else []
    for apart, again in _rewritings(module, options):
        yield _splitting(options, "peak", slices_apart=apart, again=again)


def _trial(module: ModuleOp, passes: list[ModulePass], run: Run) -> ModuleOp:
    trial = copied_operation(module)
    run(trial, passes)
    return trial


def _commit(module: ModuleOp, trial: ModuleOp) -> None:
    """Put the operations of a trial in the place of those of the module."""
    module.attributes.clear()
    module.attributes.update(trial.attributes)
    block = trial.body.block
    for op in reversed(list(module.body.block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    for op in list(block.ops):
        op.detach()
        module.body.block.add_op(op)


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
        whole = _trial(module, unsplit, run.alone)
        starts.append(copied_operation(whole))
        run.with_plan(whole, [])
        trials.append(whole)
    except _MISTAKES:
        raise
    except PassFailedException as error:
        failures.append(error)
    formed: list[ModuleOp] = []
    for start, (slices_apart, again) in product(starts, _rewritings(module, options)):
        try:
            passes = [*rewriting(options, slices_apart, again), *forming()]
            layers = _trial(start, passes, run.alone)
            if _add_other(formed, layers):
                tiles = [*searching(options, "peak"), *expanding(options)]
                trials.append(_trial(layers, tiles, run.with_plan))
        except _MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
    if not trials:
        raise _with_tiles(module, failures)
    _commit(module, min(trials, key=lambda trial: _arena_bytes(trial, arena)))


def _arena_bytes(module: ModuleOp, name: str) -> int:
    for op in module.body.block.ops:
        if isinstance(op, ArenaOp) and op.sym_name.data == name and op.size is not None:
            return op.size.value.data
    return 0
