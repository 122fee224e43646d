"""Modules with loops and branches over tensors, which are split in parts."""

from contextlib import suppress

from xdsl.dialects.builtin import ModuleOp

from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.left_whole import functions_of
from xdsl_memplan.transforms.memplan_hoist_loads import MemplanHoistLoadsPass, loads_to_hoist
from xdsl_memplan.transforms.memplan_outline_parts import MemplanOutlinePartsPass, has_parts
from xdsl_memplan.transforms.trials import Run, commit, trial_of

_MOST_LOADS = 8
"""So many loads before loops are tried one by one."""


def module_in_parts(module: ModuleOp, run: Run) -> ModuleOp:
    """A copy in which what loops and branches hold are functions; the module itself without any."""
    if not any(map(has_parts, functions_of(module))):
        return module
    return trial_of(module, [MemplanOutlinePartsPass()], run)


def plan_with_hoisted_loads(module: ModuleOp, run: Run) -> None:
    """Plan with loads before loops as far as there is room; `module` changes.

    All are tried, then those one by one that save most, and at last the rest of them together.

    Raises PassFailedException if it does not fit with none.
    """

    def planned(which: tuple[int, ...]) -> ModuleOp:
        return trial_of(module, [MemplanHoistLoadsPass(which)], run)

    all_ = tuple(range(len(loads_to_hoist(module))))
    try:
        commit(module, planned(all_))
        return
    except CapacityExceeded:
        if not all_:
            raise
    best, kept = planned(()), ()
    for numbers in (*((number,) for number in all_[:_MOST_LOADS]), all_[_MOST_LOADS:]):
        with suppress(CapacityExceeded):
            best, kept = planned((*kept, *numbers)), (*kept, *numbers)
    commit(module, best)
