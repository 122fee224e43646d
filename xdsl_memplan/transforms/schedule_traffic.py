"""Brings the functions of a module under a capacity with the fewest bytes moved off chip."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.analysis.traffic_graph import Parts, has_choice, traffic_graph
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule, Stay
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.traffic import schedule_for_traffic
from xdsl_memplan.transforms.bufferize.explicit_copies import make_copies_explicit
from xdsl_memplan.transforms.off_chip_moves import WrittenSchedule, write_schedule
from xdsl_memplan.transforms.schedule_peak import arena_bytes
from xdsl_memplan.transforms.spill_report import live_report, spill_report

DEFAULT_OFF_CHIP = "off_chip"

_FEW_TRIES, _MOST_TRIES = 3, 6
"""Searches for less room, each by what the buffers of the one before took too much."""


def schedule_for_least_traffic(
    function: FuncOp,
    on_chip: Memory,
    off_chip: str,
    keep_order: bool,
    max_states: int,
    reserve: int = 0,
) -> None:
    """Write order, spills and retrieves of least traffic into a function.

    What a search finds is taken if the buffers then fit the capacity less ``reserve`` bytes, by
    `bytes_needed`. The bound holds for the whole capacity.

    Raises PassFailedException if the memory has no capacity, or an operation does not fit.
    """
    if on_chip.capacity is None:
        raise PassFailedException(
            "memplan-schedule: objective=traffic needs the capacity of the on-chip memory; "
            'write for example memory="L1=256KiB"'
        )
    make_copies_explicit(function)
    try:
        tensors = TensorGraph.of(function, keep_order)
    except ValueError as error:
        raise PassFailedException(f"memplan-schedule: {error}") from error
    settings = SearchSettings(max_states=max_states)
    search = _LeastTraffic(tensors, on_chip, off_chip, keep_order, settings, reserve)
    try:
        moved, bound = search.run()
    except InvalidGraphError as error:
        name = function.sym_name.data
        report = search.fullest or spill_report(tensors, search.graph(Parts.MOVE_INSIDE), on_chip)
        raise PassFailedException(f"memplan-schedule: @{name}: {error}\n{report}") from error
    function.attributes[TRAFFIC] = DictionaryAttr(
        {"bytes": IntegerAttr(moved, i64), "bound": IntegerAttr(bound, i64)}
    )


def two_memories(module: ModuleOp, option: str) -> tuple[Memory, str | None]:
    """The on-chip memory, and the name of the one off chip if there is one."""
    on_chip, *others = Memories.of(module, option).by_name.values()
    return on_chip, others[0].name if others else None


@dataclass(frozen=True)
class _Candidate:
    """A schedule, and what came of it as buffers; all in bytes."""

    order: Sequence[int]
    stays: Sequence[Stay]
    moved: int
    excess: int
    """What the buffers take beyond the room, as far as that is known."""


@dataclass
class _LeastTraffic:
    """The schedules that are tried for one function."""

    tensors: TensorGraph
    on_chip: Memory
    off_chip: str
    keep_order: bool
    settings: SearchSettings
    reserve: int
    tried: list[_Candidate] = field(default_factory=list[_Candidate])
    refusal: InvalidGraphError | None = None
    """Why the last search found nothing."""
    fullest: str = ""
    """What is live where the best schedule needs most, if its buffers do not fit."""

    def run(self) -> tuple[int, int]:
        """Write the best schedule that fits; return the bytes it moves and the bound.

        Raises InvalidGraphError for an operation that does not fit.
        """
        capacity = self.on_chip.capacity or 0
        can_lie_inside = has_choice(self.tensors)
        parts = Parts.LIE_INSIDE if can_lie_inside else Parts.MOVE_INSIDE
        found = self._search(parts, capacity)
        bound = found.bound if self.tensors.is_closed else 0
        fits = not self.reserve and self._try(found)
        if not (fits and self.tried[-1].moved <= bound):
            room = capacity - self.reserve
            before = len(self.tried)
            fits = self._try_for_less(Parts.MOVE_INSIDE, room, _FEW_TRIES)
            if not fits or len(self.tried) > before + 1:
                self._try_for_less(Parts.COME_BACK_INSIDE, room, _MOST_TRIES)
        if not self.tried:
            raise self.refusal or InvalidGraphError(f"{capacity} bytes are less than is reserved")
        best = min(self.tried, key=lambda candidate: (candidate.excess, candidate.moved))
        if best.excess:
            least = best.excess + capacity - self.reserve
            self.fullest = self._what_is_live(best)
            raise InvalidGraphError(
                f"the buffers of each schedule that was tried take {least} bytes or more; the "
                f"capacity is {capacity}"
            )
        self._write(best.order, best.stays)
        return best.moved, min(bound, best.moved)

    def graph(self, parts: Parts) -> Graph:
        """What is searched."""
        return traffic_graph(self.tensors, self.on_chip.alignment, parts)

    def _try_for_less(self, parts: Parts, room: int, tries: int) -> bool:
        """Search for some room, and for less while the buffers take more; tell if they fit."""
        for _ in range(tries):
            if room < 0:
                return False
            try:
                found = self._search(parts, room)
            except InvalidGraphError as error:
                self.refusal = error
                return False
            if self._try(found):
                return True
            room -= self.tried[-1].excess
        return False

    def _search(self, parts: Parts, room: int) -> Schedule:
        alignment = self.on_chip.alignment
        graph = self.graph(parts)
        # The last buffer may end where no other could begin.
        rounded = room + -room % alignment
        try:
            if self.keep_order:
                return schedule_in_order(graph, range(len(graph.operators)), rounded, self.settings)
            return schedule_for_traffic(graph, rounded, self.settings)
        except InvalidGraphError as error:
            if rounded == room:
                raise
            raise InvalidGraphError(
                f"{error}, which is {room} rounded up to the alignment, {alignment}"
            ) from error

    def _try(self, found: Schedule) -> bool:
        """See what a schedule takes and moves as buffers; tell if it fits."""
        written = self._write(found.order, found.stays)
        needed = arena_bytes(self.tensors.function, self.on_chip, self.tensors.sharing)
        room = (self.on_chip.capacity or 0) - self.reserve
        excess = 0 if needed is None else max(0, needed - room)
        moved = written.moved_bytes(self.on_chip.alignment)
        written.undo()
        self.tried.append(_Candidate(found.order, found.stays, moved, excess))
        return excess == 0

    def _what_is_live(self, candidate: _Candidate) -> str:
        """List it for a schedule that does not fit."""
        if not self.tensors.is_closed:
            return ""
        written = self._write(candidate.order, candidate.stays)
        report = live_report(self.tensors.function, self.on_chip)
        written.undo()
        return report

    def _write(self, order: Sequence[int], stays: Sequence[Stay]) -> WrittenSchedule:
        return write_schedule(self.tensors, order, stays, self.on_chip.name, self.off_chip)
