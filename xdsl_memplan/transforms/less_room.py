"""What is tried where buffers do not fit: the same for less room."""

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.group_ways import MISTAKES
from xdsl_memplan.transforms.trials import Run, commit, trial_of

MOST_TRIES = 5
"""Groups or schedules are made so often, each time for less room, until the buffers fit."""

_EXTRA_BYTES, _EXTRA_SHARE = 256, 16
"""Room taken besides what was missing, so that a few tries are enough: no more than that many
bytes, and that part of the memory."""


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
    planned = planned_in_less_room(
        lambda reserve: trial_of(module, passes(reserve), run), first.capacity
    )
    if isinstance(planned, list):
        return planned
    commit(module, planned)
    return []


def planned_in_less_room(
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
