"""The Python interface of minimalloc that snax-mlir imports, over our planners.

    from xdsl_memplan.compat.minimalloc import Buffer, Problem

instead of ``from minimalloc import Buffer, Problem`` (the fork jorendumoulin/minimalloc, which
snax-mlir pins). Lifetimes are half-open there as here.
"""

from dataclasses import dataclass

from xdsl_memplan.model import problem as model
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.planners.plan import DEFAULT_PLANNER, plan


class MiniMallocError(RuntimeError):
    """No plan was found; the message says how many bytes are missing."""


@dataclass
class Buffer:
    """A buffer of ``size`` bytes, live in the ticks ``[start_time, end_time)``."""

    id: str
    start_time: int
    end_time: int
    size: int
    alignment: int = 1
    """Bytes; 0 means 1."""


@dataclass
class Problem:
    """Buffers that must fit into ``capacity`` bytes."""

    buffers: list[Buffer]
    capacity: int

    def solve(self, planner: str = DEFAULT_PLANNER) -> list[int]:
        """Return the offset in bytes of each buffer, in the order of the buffers.

        Raises MiniMallocError where they do not fit, PlanningError for a buffer that is wrong.
        """
        listed = [
            model.Buffer(b.id, b.size, Lifetime(b.start_time, b.end_time), max(b.alignment, 1))
            for b in self.buffers
        ]
        result = plan(
            model.Problem.from_buffers(listed, capacity=self.capacity),
            planner=planner,
            minimize=False,
        )
        if result.peak > self.capacity:
            raise MiniMallocError(
                f"no plan for {self.capacity} bytes: this one takes {result.peak}, "
                f"{result.peak - self.capacity} too many; at least {result.bound} are needed"
            )
        return result.offsets.tolist()
