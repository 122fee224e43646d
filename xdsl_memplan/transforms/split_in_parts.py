"""Modules with loops and branches over tensors, which are split in parts."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp

from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.left_whole import functions_of
from xdsl_memplan.transforms.memplan_hoist_loads import MemplanHoistLoadsPass, loads_to_hoist
from xdsl_memplan.transforms.memplan_hoist_tiles import MemplanHoistTilesPass, has_tiles_to_hoist
from xdsl_memplan.transforms.memplan_keep_handed_on import MemplanKeepHandedOnPass, tensors_to_keep
from xdsl_memplan.transforms.memplan_outline_parts import MemplanOutlinePartsPass, has_parts
from xdsl_memplan.transforms.trials import Run, commit, trial_of

_MOST_LOADS, _MOST_TENSORS = 8, 3
"""So many loads before loops, and so many tensors that parts hand on, are tried one by one."""

Numbers: TypeAlias = tuple[int, ...] | None
"""Which of those that were found; None for all."""


def module_in_parts(module: ModuleOp, run: Run) -> ModuleOp:
    """A copy in which what loops and branches hold are functions; the module itself without any."""
    if not any(map(has_parts, functions_of(module))):
        return module
    return trial_of(module, [MemplanOutlinePartsPass()], run)


def plan_parts(module: ModuleOp, memory: str, alone: Run, with_plan: Run) -> None:
    """Plan what is brought on chip before loops, or kept there, as far as there is room.

    All loads that can stand before a loop and all that parts hand on are tried; then loads one by
    one that save most, and the rest of them together; then what parts hand on, one by one that save
    most for their room, and the rest. What is still free holds tiles of larger tensors. `module`
    changes.

    Raises PassFailedException if it does not fit with none.
    """

    def hoisted(loads: Numbers) -> ModuleOp:
        return trial_of(module, [MemplanHoistLoadsPass(loads)], alone)

    def planned(loads: Numbers, tensors: Numbers, room: int = 0) -> ModuleOp:
        tiles, kept = MemplanHoistTilesPass(room), MemplanKeepHandedOnPass(tensors, memory)
        return trial_of(hoisted(loads), [tiles, kept], with_plan)

    loads: Numbers = None
    tensors: Numbers = None
    try:
        best = planned(loads, tensors)
    except CapacityExceeded:
        number = len(loads_to_hoist(module))
        try:
            best, loads = planned(None, ()), tuple(range(number))
        except CapacityExceeded:
            if not number:
                raise
            start = planned((), ())
            best, loads = _one_by_one(start, number, _MOST_LOADS, lambda which: planned(which, ()))
        chosen = loads
        number = len(tensors_to_keep(hoisted(loads)))
        best, tensors = _one_by_one(
            best, number, _MOST_TENSORS, lambda which: planned(chosen, which)
        )
    free = _free_bytes(best)
    if has_tiles_to_hoist(hoisted(loads), free):
        with suppress(CapacityExceeded):
            best = planned(loads, tensors, free)
    commit(module, best)


def _free_bytes(module: ModuleOp) -> int:
    """What the plan leaves of the first memory."""
    first = next(op for op in module.body.ops if isinstance(op, ArenaOp))
    if first.capacity is None or first.size is None:
        return 0
    return first.capacity.value.data - first.size.value.data


def _one_by_one(
    best: ModuleOp, number: int, most: int, planned: Callable[[tuple[int, ...]], ModuleOp]
) -> tuple[ModuleOp, tuple[int, ...]]:
    """Add each of so many numbers that fits, those from ``most`` on together; ``best`` has none."""
    kept: tuple[int, ...] = ()
    alone, rest = range(min(number, most)), tuple(range(most, number))
    for numbers in (*((number,) for number in alone), rest):
        if numbers:
            with suppress(CapacityExceeded):
                best, kept = planned((*kept, *numbers)), (*kept, *numbers)
    return best, kept
