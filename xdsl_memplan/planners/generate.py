"""Made-up problems for benchmarks and tests."""

import numpy as np

from xdsl_memplan import _idealloc
from xdsl_memplan.model.problem import Problem


def mixed_lifetimes(buffers: int, seed: int = 0) -> Problem:
    """Make buffers with sizes and lifetimes as mixed as those of a large program.

    75 % live 1 to 32 ticks, 22 % have a heavy-tailed life, 3 % a long one; sizes are spread evenly
    over the powers of two from 1 KiB to 16 MiB. The same bytes on every machine.
    Complexity: O(buffers).
    """
    sizes, starts, ends = (np.empty(buffers, dtype=np.int64) for _ in range(3))
    _idealloc.mixed_lifetimes(seed, sizes, starts, ends)
    return Problem(sizes=sizes, starts=starts, ends=ends)
