"""OmniMalloc 1.0.0: https://github.com/fpedd/omnimalloc, Apache-2.0."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task
from xdsl_memplan.tools.benchmark.missing import Missing

_SEARCHES = {
    "genetic",
    "hill_climb",
    "minimalloc",
    "omni",
    "simulated_annealing",
    "supermalloc",
    "tabu_search",
    "telamalloc",
}
_MOST_SEARCHED = 2_000
_MOST_PLACED = 30_000


def contenders() -> Iterator[Contender | Missing]:
    """Yield all its allocators but the random one, and those that lack a package of their own.

    Raises ImportError.
    """
    module: Any = import_module("omnimalloc")
    for name in module.available_allocators():
        if name == "random":
            continue
        try:
            module.allocators.BaseAllocator.resolve(name)
        except ImportError as error:
            yield Missing(f"omnimalloc {name}", " ".join(str(error).split()))
            continue
        searches = name in _SEARCHES
        most = _MOST_SEARCHED if searches else _MOST_PLACED
        prepare = _prepare_with(module, name)
        yield Contender(
            f"omnimalloc {name}", "peer", prepare, most, searches=searches, timed="C++ call"
        )
    largest_first = _prepare_with(module, "best_fit", largest_first=True)
    name = "omnimalloc best_fit, by size"
    yield Contender(name, "peer", largest_first, _MOST_PLACED, timed="C++ call")


def _prepare_with(
    module: Any, name: str, *, largest_first: bool = False
) -> Callable[[Problem, Limits], Task]:
    def prepare(problem: Problem, limits: Limits) -> Task:
        columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
        given = [
            module.Allocation(id=i, size=size, start=start, end=end)
            for i, (size, start, end) in enumerate(zip(*columns, strict=True))
        ]
        if largest_first:
            given.sort(key=lambda one: -one.size)
        allocator = _allocator(module, name, limits)

        def offsets(placed: Any) -> Int64Array:
            by_buffer = np.empty(len(placed), dtype=np.int64)
            for one in placed:
                by_buffer[one.id] = one.offset
            return by_buffer

        return Task(lambda: module.allocate(given, allocator), offsets)

    return prepare


_EFFORTS = ("max_iterations", "max_backtracks", "max_generations", "num_generations")
_ENDLESS = 2**31 - 1
"""More than anybody does in the time of a run."""


def _allocator(module: Any, name: str, limits: Limits) -> Any:
    """Make an allocator that uses the time it is given: where it counts work, there is no limit."""
    allocator = module.allocators.BaseAllocator.resolve(name)
    known = inspect.signature(allocator.__init__).parameters
    if "timeout" in known:
        efforts = {effort: _ENDLESS for effort in _EFFORTS if effort in known}
        threads = {"num_threads": max(1, limits.threads)} if "num_threads" in known else {}
        allocator.__init__(timeout=limits.seconds, **efforts, **threads)
    return allocator
