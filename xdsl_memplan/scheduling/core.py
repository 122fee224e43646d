"""The one place where graphs and schedules cross into the Rust core."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from xdsl_memplan import _idealloc
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule, Stay
from xdsl_memplan.scheduling.errors import InvalidOptionError
from xdsl_memplan.scheduling.graph_arrays import (
    MOST_BYTES,
    as_core_graph,
    check_positions,
    positions_of,
)

Reduction = Literal[
    "glue",
    "free-move",
    "defer-sources",
    "canonical-last",
    "forced-eviction",
    "merge-twins",
    "dominance",
]

_as_stay: Callable[[Any], Stay] = partial(tuple.__new__, Stay)  # pyright: ignore[reportUnknownMemberType]
"""`Stay._make` without its Python frame: schedules of large graphs have thousands of stays."""

DEFAULT_MAX_STATES = 5_000_000
DEFAULT_MAX_MEMORY_BYTES = 4 << 30


@dataclass(frozen=True)
class SearchSettings:
    """How much a search may do. Same settings, same schedule, unless a time limit cut it short."""

    max_states: int | None = DEFAULT_MAX_STATES
    """States that may be expanded; None: no limit."""
    max_memory_bytes: int | None = DEFAULT_MAX_MEMORY_BYTES
    """Bytes that what is remembered of states may take, about; None: no limit. A search that needs
    more gives up with the stop reason memory-limit and keeps its schedule and its bound."""
    time_limit_seconds: float | None = None
    """Safety net."""
    seed: int = 0
    """Of the perturbations of address packing."""
    without: Sequence[Reduction] = ()
    """Lossless reductions that are switched off, for ablation."""
    progress: Callable[[int, int, int], None] | None = None
    """Called about fifty times a second with incumbent bytes, bound bytes and states expanded."""


def search(
    graph: Graph, capacity: int | None, order: Sequence[int] | None, settings: SearchSettings
) -> Schedule:
    """Run the core's search: of least traffic under a capacity in bytes, without one of least peak.

    Raises `xdsl_memplan.scheduling.errors.InvalidGraphError` and its siblings.
    """
    for name in ("max_states", "max_memory_bytes", "seed"):
        _check_natural(name, getattr(settings, name))
    _check_natural("capacity", capacity)
    check_positions(order or (), positions_of(graph.operators), "the order names operator")
    return _schedule(
        "peak" if capacity is None else "traffic",
        _idealloc.schedule(
            as_core_graph(graph),
            capacity=capacity,
            order=None if order is None else list(order),
            seed=settings.seed,
            max_states=settings.max_states,
            max_memory_bytes=settings.max_memory_bytes,
            time_limit_seconds=settings.time_limit_seconds,
            without=list(settings.without),
            progress=settings.progress,
        ),
    )


def replace_in_core(graph: Graph, order: Sequence[int], capacity: int, rule: str) -> Schedule:
    """Run a replacement rule of the core over an order.

    Raises `xdsl_memplan.scheduling.errors.InvalidGraphError` and its siblings.
    """
    _check_natural("capacity", capacity)
    check_positions(order, positions_of(graph.operators), "the order names operator")
    return _schedule(
        "traffic", _idealloc.replace(as_core_graph(graph), list(order), capacity, rule)
    )


def check_with_core(graph: Graph, schedule: Schedule, capacity: int | None) -> tuple[int, int]:
    """Replay a schedule with the core's checker; return bytes moved and bytes of memory used.

    Raises InvalidPlanError.
    """
    stays = list(schedule.stays)
    return _idealloc.check_schedule(as_core_graph(graph), list(schedule.order), stays, capacity)


def _schedule(objective: str, found: tuple[Any, ...]) -> Schedule:
    order, stays, (load, peak, traffic, bound), stop, statistics, parts = found
    return Schedule(
        objective,
        order,
        list(map(_as_stay, stays)),
        load,
        peak,
        traffic,
        bound,
        stop,
        dict(statistics),
        parts,
    )


def _check_natural(name: str, value: object) -> None:
    if value is not None and not (isinstance(value, int) and 0 <= value <= MOST_BYTES):
        raise InvalidOptionError(f"{name} {value!r} is not an integer in 0 .. 2^63 - 1")
