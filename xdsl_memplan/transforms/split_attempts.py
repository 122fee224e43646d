"""Which splits and schedules are tried, and what is learned from buffers that do not fit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.trait_answers import WrongAnswerError
from xdsl_memplan.analysis.ways_to_form_layers import has_long_norm, has_turned_operand
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import TOTAL, TRAFFIC
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles

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


@dataclass(frozen=True)
class SplitOptions:
    """The options of `memplan-pipeline` that say how to split."""

    objective: str
    stage: str
    memory: str
    max_recompute: float
    max_code: float
    threads: int
    strategy: Literal["auto", "literal", "block-first"] = "auto"
    """With another than `auto` groups are those of the strategy, whatever else would do."""
    order: Literal["optimize", "keep", "thorough"] = "optimize"
    """Which orders of layers are tried."""
    check: bool = True
    """Whether tiles are checked when they are made."""
    rewrite: bool = True
    """Whether chains of elementwise operations become one each before they are cut."""


Run = Callable[[ModuleOp, list[ModulePass]], None]
"""Runs the first passes, then all that follow splitting."""


def grouping(
    options: SplitOptions,
    objective: str,
    reserve: int = 0,
    longest_norm: int = 0,
    turned_apart: bool = False,
) -> list[ModulePass]:
    """The passes that split a module."""
    from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
    from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
    from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
    from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
    from xdsl_memplan.transforms.memplan_split_loops import MemplanSplitLoopsPass

    rewrites: list[ModulePass] = [MemplanFuseElementwisePass(chains=True), MemplanSplitLoopsPass()]
    return [
        *(rewrites if options.rewrite else []),
        MemplanFormLayersPass(longest_norm, turned_apart),
        MemplanGroupPass(
            objective="peak" if objective == "peak" else "traffic",
            strategy=options.strategy,
            order=options.order,
            memory=options.memory,
            stage="all" if options.stage == "all" else "none",
            max_recompute=options.max_recompute,
            max_code=options.max_code,
            reserve=reserve,
            threads=options.threads,
        ),
        MemplanExpandGroupsPass(check=options.check, max_recompute=options.max_recompute),
    ]


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
    failures: list[PassFailedException] = []
    reserve = 0
    for _ in range(MOST_TRIES):
        try:
            _commit(module, _trial(module, passes(reserve), run))
            return []
        except CapacityExceeded as error:
            failures.append(error)
            reserve += more_to_reserve(error, first.capacity)
            if reserve >= first.capacity:
                break
        except _MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
            break
    return failures


def run_split(
    module: ModuleOp,
    options: SplitOptions,
    unsplit: Callable[[int], list[ModulePass]],
    run: Run,
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
        return grouping(options, "traffic", reserve)

    def run_tiles(trial: ModuleOp, passes: list[ModulePass]) -> None:
        run(trial, passes)
        if options.stage == "all":
            _refuse_unfetched(module, trial)

    if options.strategy != "auto":
        if failures := run_for_less_room(module, groups, run_tiles, options.memory):
            raise _without_hint(module, failures[0])
        return
    memories = Memories.of(module, options.memory)
    first, *others = memories.by_name.values()
    if first.capacity is None or options.objective == "peak":
        _take_smaller(module, options, unsplit(0), run, first.name)
        return
    tiles_at_once = options.stage == "all" and bool(others)
    whole: list[PassFailedException] = []
    if options.objective == "traffic" and not tiles_at_once:
        whole = run_for_less_room(module, unsplit, run, options.memory)
        if not whole:
            return
    failures = whole[:1]
    for passes in _moving_nothing(options, bool(whole), bool(unsplit(0))):
        if tiles_at_once:
            break
        try:
            _commit(module, _trial(module, passes, run))
            return
        except _MISTAKES:
            raise
        except PassFailedException as error:
            failures.append(error)
    if not others:
        raise _with_tiles(module, failures)

    failures = _run_in_tiles(module, options, first.capacity, run_tiles)
    if failures and options.stage == "all":
        # Those after the first speak of less room than there is.
        raise _without_hint(module, failures[0])
    # Operators as a whole, tensors moved off chip and back.
    if failures and (whole := whole or run_for_less_room(module, unsplit, run, options.memory)):
        raise _with_tiles(module, [whole[0], failures[0]])


def _run_in_tiles(
    module: ModuleOp, options: SplitOptions, capacity: int, run: Run
) -> list[PassFailedException]:
    """Run the pipeline with the groups of least traffic; return the failures.

    Long softmax and normalisations are tried as one layer and in parts, and operands that a rotary
    embedding makes with their reader and as layers of their own: what moves fewer bytes is taken,
    or what fits at all. The failures are of the last, which need less.
    """
    longest = max(1, capacity // _LONG_NORM)

    def in_tiles(module: ModuleOp, norm: int, turned_apart: bool) -> list[PassFailedException]:
        def groups(reserve: int) -> list[ModulePass]:
            return grouping(options, "traffic", reserve, norm, turned_apart)

        return run_for_less_room(module, groups, run, options.memory)

    norms = (0, longest) if has_long_norm(module, longest) else (0,)
    turned = (False, True) if has_turned_operand(module) else (False,)
    ways = [(norm, apart) for apart in turned for norm in norms]
    if len(ways) == 1:
        return in_tiles(module, *ways[0])
    trials: list[ModuleOp] = []
    failures: list[PassFailedException] = []
    for norm, apart in ways:
        trial = copied_operation(module)
        failures = in_tiles(trial, norm, apart)
        if not failures:
            trials.append(trial)
    if not trials:
        return failures
    _commit(module, min(trials, key=_bytes_moved))
    return []


def _refuse_unfetched(module: ModuleOp, planned: ModuleOp) -> None:
    """Refuse functions that compute tensors but have no tiles: nothing would fetch their operands.

    ``planned`` is `module` after all passes; what was split says what it moves.
    """
    split = {
        op.sym_name.data for op in planned.walk() if isinstance(op, FuncOp) and _has_traffic(op)
    }
    left = [
        op
        for op in module.walk()
        if isinstance(op, FuncOp) and op.sym_name.data not in split and _computes_tensors(op)
    ]
    if reasons := _why_whole(left):
        advice = "operands are fetched by tiles; with stage=none they are read where they are"
        raise PassFailedException("\n".join([f"option stage=all: {advice}", *reasons]))


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


def _bytes_moved(module: ModuleOp) -> int:
    """The bytes that functions say they move in all; 0 where arguments are read where they are."""
    total = 0
    for op in module.walk():
        traffic = op.attributes.get(TRAFFIC) if isinstance(op, FuncOp) else None
        known = traffic.data.get(TOTAL) if isinstance(traffic, DictionaryAttr) else None
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
    return _why_whole([op for op in module.walk() if isinstance(op, FuncOp) and op.body.blocks])


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
    options: SplitOptions, whole_was_tried: bool, may_reorder: bool
) -> Iterator[list[ModulePass]]:
    """What is tried before anything is moved off chip."""
    from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

    if not whole_was_tried:
        yield [MemplanSchedulePass(objective="peak", memory=options.memory)] if may_reorder else []
    yield grouping(options, "peak")


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
    module: ModuleOp, options: SplitOptions, unsplit: list[ModulePass], run: Run, arena: str
) -> None:
    trials: list[ModuleOp] = []
    failures: list[PassFailedException] = []
    tiles = grouping(options, "peak")
    for passes in (unsplit, tiles, [*unsplit, *tiles]):
        try:
            trials.append(_trial(module, passes, run))
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
