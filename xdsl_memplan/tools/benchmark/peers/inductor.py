"""The memory pools of PyTorch's Inductor: https://github.com/pytorch/pytorch, BSD-3-Clause.

Runs `torch._inductor.codegen.memory_planning`; last tried with release 2.15. Offsets are multiples
of 64 bytes there.
"""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task


def contenders() -> Iterator[Contender]:
    """Yield the tree of temporal and spatial splits. Raises ImportError."""
    planning: Any = import_module("torch._inductor.codegen.memory_planning")
    node = SimpleNamespace(
        get_layout=lambda: SimpleNamespace(size=()),
        get_device=lambda: "cpu",
        get_name=lambda: "buffer",
    )

    def prepare(problem: Problem, limits: Limits) -> Task:
        columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
        blocks = [
            planning.Allocation(node, planning.LiveRange(start, end), size, size)
            for size, start, end in zip(*columns, strict=True)
        ]
        # As its planner does: the largest first, then the longest.
        order = sorted(blocks, key=lambda one: (-one.size_hint, -len(one.live_range)))

        def work() -> dict[str, int]:
            for block in order:
                block.allocated, block.pool, block.offset = False, None, None
            pools = planning.AllocationPools()
            for block in order:
                pools.allocate(block)
            bases: dict[str, int] = {}
            top = 0
            made: list[Any] = pools.get_pools(order[0]) if order else []
            for pool in made:
                pool.finalize(f"pool{len(bases)}")
                bases[pool.name] = top
                top += -(-int(pool.root.get_symbolic_size()) // 64) * 64
            return bases

        def offsets(bases: dict[str, int]) -> Int64Array:
            placed = [bases[block.pool.name] + int(block.offset) for block in blocks]
            return np.array(placed, dtype=np.int64)

        return Task(work, offsets)

    yield Contender("torch inductor", "peer", prepare, 3_000)
