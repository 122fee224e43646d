"""ExecuTorch's greedy memory planning: https://github.com/pytorch/executorch, BSD-3-Clause.

Runs `executorch.exir.memory_planning.greedy`; last tried with release 1.5.1. It is given a list
where its own pass gives a set, so that ties do not depend on hashes.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task


def contenders() -> Iterator[Contender]:
    """Yield its greedy algorithm. Raises ImportError."""
    planning: Any = import_module("executorch.exir.memory_planning")
    tensor: Any = import_module("executorch.exir.tensor")
    torch: Any = import_module("torch")

    def prepare(problem: Problem, limits: Limits) -> Task:
        specs: list[Any] = []
        columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
        for size, start, end in zip(*columns, strict=True):
            spec = tensor.TensorSpec(torch.uint8, torch.Size([size]))
            # Inclusive at both ends.
            spec.lifetime = [start, end - 1]
            specs.append(spec)
        graph = torch.fx.GraphModule({}, torch.fx.Graph())

        def offsets(result: Any) -> Int64Array:
            placed = [result.spec_dict[spec].mem_offset for spec in specs]
            return np.array(placed, dtype=np.int64)

        return Task(lambda: planning.greedy(1, specs, graph, None), offsets)

    yield Contender("executorch greedy", "peer", prepare, 5_000)
