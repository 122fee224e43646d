"""Groups of layers that fetch what they read in several ways as one box, or each way apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.scheduling.splitting import LayerDoesNotFitError, LayerGroup, Objective
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.read_apart import put_back, read_all_apart, read_apart

Found: TypeAlias = tuple[list[int], list[LayerGroup], list[int]]
"""Layers in their order, groups, what tensors stand for."""

_MOST_VIEWS = 8
"""Layers of different kinds that are given views of what they read, each a search more."""

_CLEARLY = 8
"""Views are named in a report if they need less by this fraction: what is needed is estimated."""

_WORTH_IT = 32
"""Views are tried where all fits without them if groups that could have some move this fraction of
all bytes again."""


@dataclass
class NothingFitsError(Exception):
    """A layer does not fit, whatever views of what it reads there are."""

    split: FunctionSplitGraph
    error: LayerDoesNotFitError


def find_with_views(
    split: FunctionSplitGraph,
    analyse: Callable[[], FunctionSplitGraph],
    find: Callable[[SplitGraph], Found],
    objective: Objective | None,
) -> tuple[FunctionSplitGraph, Found]:
    """Find groups; where it may be better, also with views of what layers read in several ways.

    `find` is called once, and once more for each kind of layer that does not fit without views; or
    where all fits, if some move much again or have the largest peak, with views for all layers. The
    views that are best stay in the function. `analyse` makes the graph of the function anew.
    Without an objective groups are as they are given, and views only where they are needed.

    Raises NothingFitsError if some layer does not fit with views either: with the least room named.
    """
    split, found = _where_needed(split, analyse, find)
    if objective is None:
        return split, found
    views = read_all_apart(split)
    having = {layer_of(view.owner) for view, _ in views}
    if _may_be_better(split.graph, found, having, objective):
        try:
            apart = analyse()
            other = find(apart.graph)
            if _badness(other, objective) < _badness(found, objective):
                return apart, other
        except LayerDoesNotFitError:
            pass
    put_back(views)
    return split, found


def _where_needed(
    split: FunctionSplitGraph,
    analyse: Callable[[], FunctionSplitGraph],
    find: Callable[[SplitGraph], Found],
) -> tuple[FunctionSplitGraph, Found]:
    """Find groups; where a layer does not fit, with views of what it reads."""
    failed: dict[int, NothingFitsError] = {}
    while True:
        try:
            return split, find(split.graph)
        except LayerDoesNotFitError as error:
            layer = split.graph.ops[error.op].layer
            before = failed.setdefault(layer, NothingFitsError(split, error))
            if before.error is not error or len(failed) > _MOST_VIEWS:
                raise _less_needed(before, NothingFitsError(split, error)) from error
            if not read_apart(split, layer):
                raise before from error
            split = analyse()


def _less_needed(whole: NothingFitsError, apart: NothingFitsError) -> NothingFitsError:
    """The failure to tell: that without views, unless they need clearly less than estimated."""
    most, least = whole.error.smallest_bytes, apart.error.smallest_bytes
    if least is None or (most is not None and least > most - most // _CLEARLY):
        return whole
    return apart


def _badness(found: Found, objective: Objective) -> tuple[int, int]:
    """The less the better."""
    _, groups, _ = found
    traffic = sum(group.cost.traffic for group in groups)
    peak = max((group.cost.peak for group in groups), default=0)
    return (peak, traffic) if objective == "peak" else (traffic, peak)


def _may_be_better(graph: SplitGraph, found: Found, having: set[int], objective: Objective) -> bool:
    """Tell whether groups with one of these layers cost so much that views may help. Linear."""
    layers, groups, _ = found
    concerned = [group for group in groups if having.intersection(_layers_of(group, layers))]
    if objective == "peak":
        peak, _ = _badness(found, objective)
        return any(group.cost.peak == peak for group in concerned)
    moved, _ = _badness(found, objective)
    again = sum(
        max(0, group.cost.traffic - _moved_once(graph, set(_layers_of(group, layers))))
        for group in concerned
    )
    return again * _WORTH_IT > moved


def _layers_of(group: LayerGroup, layers: Sequence[int]) -> Sequence[int]:
    return layers[group.first_layer : group.last_layer + 1]


def _moved_once(graph: SplitGraph, layers: set[int]) -> int:
    """Bytes of all that a group of these layers reads of others, and makes for others."""
    made: set[int] = set()
    read: set[int] = set()
    read_later: set[int] = set()
    for op in graph.ops:
        operands = {operand.tensor for operand in op.operands}
        if op.layer in layers:
            made.update(op.results)
            read |= operands
        else:
            read_later |= operands
    tensors = graph.tensors
    fetched = {tensor for tensor in read - made if tensors[tensor].kind != "fill"}
    stored = {tensor for tensor in made if tensor in read_later or tensors[tensor].returned}
    return sum(tensors[tensor].size_bytes for tensor in fetched | stored)
