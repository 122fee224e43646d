"""The checker of the Rust core, for plans of a million buffers."""

import numpy as np

from xdsl_memplan import _idealloc
from xdsl_memplan.model.integers import Int64Array, int64_array
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import as_core_problem


def check_with_core(problem: Problem, offsets: Int64Array, pools: Int64Array | None = None) -> int:
    """Check offsets (bytes, shape (n,)) against every rule of a problem; return the peak in bytes.

    Complexity: O(n log n), plus O(pairs).

    Raises InvalidPlanError that names the buffers, InvalidProblemError if the problem is wrong,
    ValueError for offsets or pools that are not integers.
    """
    return _idealloc.check(
        as_core_problem(problem),
        np.ascontiguousarray(int64_array(offsets, "offsets")),
        None if pools is None else np.ascontiguousarray(int64_array(pools, "pools")),
    )
