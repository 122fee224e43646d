"""Modules with loops and branches over tensors, which are split in parts."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp

from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.left_whole import functions_of
from xdsl_memplan.transforms.memplan_hoist_loads import MemplanHoistLoadsPass, loads_to_hoist
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

    All of it is tried; then loads one by one that save most, and the rest of them together; then
    what parts hand on, one by one that save most for their room, and the rest. `module` changes.

    Raises PassFailedException if it does not fit with none.
    """

    def hoisted(loads: Numbers) -> ModuleOp:
        return trial_of(module, [MemplanHoistLoadsPass(loads)], alone)

    def planned(loads: Numbers, tensors: Numbers) -> ModuleOp:
        keep = MemplanKeepHandedOnPass(tensors, memory)
        return trial_of(hoisted(loads), [keep], with_plan)

    try:
        commit(module, planned(None, None))
        return
    except CapacityExceeded:
        number = len(loads_to_hoist(module))
    try:
        best, loads = planned(None, ()), tuple(range(number))
    except CapacityExceeded:
        if not number:
            raise
        start = planned((), ())
        best, loads = _one_by_one(start, number, _MOST_LOADS, lambda which: planned(which, ()))
    number = len(tensors_to_keep(hoisted(loads)))
    best, _ = _one_by_one(best, number, _MOST_TENSORS, lambda which: planned(loads, which))
    commit(module, best)


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
