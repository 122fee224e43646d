"""Modules with loops and branches over tensors, which are split in parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import TOTAL
from xdsl_memplan.transforms.bufferize.copies_off_chip import guessed_moves
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.group_ways import entries_of_traffic
from xdsl_memplan.transforms.left_whole import functions_of
from xdsl_memplan.transforms.memplan_hoist_loads import MemplanHoistLoadsPass, loads_to_hoist
from xdsl_memplan.transforms.memplan_hoist_tiles import (
    MemplanHoistTilesPass,
    most_runs,
    rooms_for_tiles,
)
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


@dataclass(frozen=True)
class PartsPlanner:
    """Plans modules whose parts are in tiles; equal modules are planned once."""

    memory: str
    alone: Run
    with_plan: Run
    _known: dict[str, ModuleOp | CapacityExceeded] = field(
        default_factory=dict[str, ModuleOp | CapacityExceeded]
    )
    """What became of a module with this text."""

    def plan(self, module: ModuleOp) -> None:
        """Plan what is brought on chip before loops, or kept there, as far as there is room.

        All loads that can stand before a loop and all that parts hand on are tried. Where that does
        not fit, or there are tiles of larger tensors, what saves most for its room has it first:
        loads one by one and the rest of them together; what parts hand on more often than tiles are
        loaded; tiles; what else is handed on. `module` changes.

        Raises CapacityExceeded if it does not fit with none.
        """
        text = str(module)
        if text not in self._known:
            try:
                self._known[text] = _ChoicesOfParts(self, module).best()
            except CapacityExceeded as error:
                self._known[text] = error
        best = self._known[text]
        if isinstance(best, CapacityExceeded):
            raise best
        commit(module, copied_operation(best))


class _Choice(NamedTuple):
    """What is on chip around and between the parts."""

    loads: Numbers = ()
    """For `memplan-hoist-loads`."""
    tensors: Numbers = ()
    """For `memplan-keep-handed-on`."""
    room: int = 0
    """For `memplan-hoist-tiles`."""


class _Plan(NamedTuple):
    choice: _Choice
    kept: ModuleOp
    """What loads and tensors of the choice make of the module, without tiles."""
    module: ModuleOp
    """The planned module."""


@dataclass(frozen=True)
class _ChoicesOfParts:
    """Chooses what stays on chip around and between the parts of a module."""

    planner: PartsPlanner
    module: ModuleOp

    def best(self) -> ModuleOp:
        """The planned module that moves the fewest bytes of those that are tried."""
        all_ = self._tried(_Choice(None, None))
        if all_ is not None and not most_runs(all_.kept):
            return all_.module
        plan = self._with_loads()
        tensors, runs = tensors_to_keep(plan.kept, self.planner.memory), most_runs(plan.kept)
        often = sum(tensor.worth >= runs - 1 for tensor in tensors)
        plan = self._with_tensors(plan, range(often))
        if runs:
            plan = self._with_tiles(plan)
        plan = self._with_tensors(plan, range(often, len(tensors)))
        if all_ is None or bytes_moved(plan.module) < bytes_moved(all_.module):
            return plan.module
        return all_.module

    def _planned(self, choice: _Choice) -> _Plan:
        loads = MemplanHoistLoadsPass(choice.loads)
        tensors = MemplanKeepHandedOnPass(choice.tensors, self.planner.memory)
        tiles = MemplanHoistTilesPass(choice.room)
        kept = trial_of(self.module, [loads, tensors], self.planner.alone)
        return _Plan(choice, kept, trial_of(kept, [tiles], self.planner.with_plan))

    def _tried(self, choice: _Choice) -> _Plan | None:
        try:
            return self._planned(choice)
        except CapacityExceeded:
            return None

    def _with_loads(self) -> _Plan:
        plan = self._tried(_Choice(None))
        if plan is not None:
            return plan
        plan = self._planned(_Choice())
        for numbers in _portions(range(len(loads_to_hoist(self.module))), _MOST_LOADS):
            loads = (*(plan.choice.loads or ()), *numbers)
            plan = self._tried(plan.choice._replace(loads=loads)) or plan
        return plan

    def _with_tensors(self, plan: _Plan, tensors: Sequence[int]) -> _Plan:
        for numbers in _portions(tensors, _MOST_TENSORS):
            kept = (*(plan.choice.tensors or ()), *numbers)
            plan = self._tried(plan.choice._replace(tensors=kept)) or plan
        return plan

    def _with_tiles(self, plan: _Plan) -> _Plan:
        """Plan with as much room for tiles before loops as there is, about.

        There is what the plan leaves free, and more where something else needs most of the memory.
        """
        first = next((op for op in plan.module.body.ops if isinstance(op, ArenaOp)), None)
        if first is None or first.capacity is None or first.size is None:
            return plan
        capacity = first.capacity.value.data
        free = fits = capacity - first.size.value.data
        too_much = capacity + 1
        # What is left beside the most tiles of one loop may have room for those of others.
        for _ in range(2):
            rooms = [room for room in rooms_for_tiles(plan.kept, too_much - 1) if room > fits]
            while rooms:
                number = len(rooms) // 2
                more = self._tried(plan.choice._replace(room=rooms[number]))
                if more is None:
                    too_much = rooms[number]
                    rooms = rooms[:number]
                else:
                    plan, fits = more, rooms[number]
                    rooms = rooms[number + 1 :]
        if fits == free:
            plan = self._tried(plan.choice._replace(room=free)) or plan
        return plan


def _portions(numbers: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Each of the first numbers alone, then the others together."""
    yield from ((number,) for number in numbers[:most])
    if rest := tuple(numbers[most:]):
        yield rest


def bytes_moved(module: ModuleOp) -> int:
    """The bytes that a planned module moves off chip and back, guessed where nobody knows."""
    return entries_of_traffic(module, TOTAL) or guessed_moves(module)
