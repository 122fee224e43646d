"""Vela, Arm's compiler for Ethos-U: https://pypi.org/project/ethos-u-vela, Apache-2.0."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task


def contenders() -> Iterator[Contender]:
    """Yield the greedy allocator and the hill climb. Raises ImportError."""
    greedy: Any = import_module("ethosu.vela.greedy_allocation")
    hill_climb: Any = import_module("ethosu.vela.hillclimb_allocation")
    live_range: Any = import_module("ethosu.vela.live_range")

    def ranges(problem: Problem) -> list[Any]:
        made: list[Any] = []
        alignments = problem.alignments
        for i in range(len(problem)):
            one = live_range.LiveRange(None, 1 if alignments is None else int(alignments[i]))
            one.start_time, one.end_time = int(problem.starts[i]), int(problem.ends[i]) - 1
            one.size, one.name = int(problem.sizes[i]), f"{i:09}"
            one.tensors.append(_VelaTensor())
            made.append(one)
        return made

    def prepare_greedy(problem: Problem, limits: Limits) -> Task:
        graph = live_range.LiveRangeGraph()
        graph.lrs = ranges(problem)
        return Task(
            lambda: greedy.allocate_live_ranges(graph, 1),
            lambda _: np.array([one.tensors[0].address for one in graph.lrs], dtype=np.int64),
        )

    def prepare_hill_climb(problem: Problem, limits: Limits) -> Task:
        # Vela lays time out as an array: where that is long, event ranks keep it short.
        is_short = int(problem.ends.max(initial=0)) <= 8 * len(problem)
        given = ranges(problem if is_short else _ranked(problem))
        capacity = limits.target or 2**62
        return Task(
            lambda: hill_climb.allocate_live_ranges(given, None, capacity),
            lambda addresses: np.array(addresses, dtype=np.int64),
        )

    told = frozenset({"alignment"})
    yield Contender("vela greedy", "peer", prepare_greedy, 30_000, honours=told, timed="Python")
    yield Contender(
        "vela hill climb",
        "peer",
        prepare_hill_climb,
        1_500,
        searches=True,
        honours=told,
        timed="Python",
    )


class _VelaTensor:
    address = 0


def _ranked(problem: Problem) -> Problem:
    times = np.unique(np.concatenate([problem.starts, problem.ends]))
    starts, ends = np.searchsorted(times, problem.starts), np.searchsorted(times, problem.ends)
    return replace(problem, starts=starts, ends=ends)
