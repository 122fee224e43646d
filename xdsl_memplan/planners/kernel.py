"""A planner's rule alone, without what Python adds: for benchmarks."""

from xdsl_memplan import _idealloc
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import as_core_problem


class Kernel:
    """A problem in the core's terms, on which planners run without conversion and check."""

    def __init__(self, problem: Problem) -> None:
        """Convert the problem. Raises InvalidProblemError."""
        self._prepared = _idealloc.Prepared(as_core_problem(problem))

    def run(self, planner: str) -> None:
        """Run a planner in this thread and forget its plan. Raises PlanningError."""
        self._prepared.run(planner)
