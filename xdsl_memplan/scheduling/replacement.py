"""Replacement as it is usually done: the four schemes that COSMA compares itself with."""

from collections.abc import Sequence
from typing import Literal

from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.schedule import Schedule
from xdsl_memplan.scheduling.core import SearchSettings, replace_in_core
from xdsl_memplan.scheduling.peak import schedule_for_peak

Rule = Literal["belady", "greedy"]
RULES: tuple[Rule, ...] = ("belady", "greedy")


def replace_in_order(graph: Graph, order: Sequence[int], capacity: int, rule: Rule) -> Schedule:
    """Run a replacement rule over an order, in an arena that is filled online by best fit.

    ``belady`` evicts what is used again last, ``greedy`` the cheapest set that makes room at one
    place (what an ILP solved for each step finds). The order, the capacity in bytes and the rule
    say everything: `Schedule.bound` is 0.

    Raises InvalidGraphError.
    """
    return replace_in_core(graph, order, capacity, rule)


def four_baselines(
    graph: Graph, capacity: int, settings: SearchSettings | None = None
) -> dict[str, Schedule]:
    """Run {given order, order of least peak} x {belady, greedy}, by ``ORDER-RULE``.

    Raises InvalidGraphError.
    """
    orders = {
        "given": range(len(graph.operators)),
        "peak": schedule_for_peak(graph, settings).order,
    }
    return {
        f"{name}-{rule}": replace_in_order(graph, order, capacity, rule)
        for name, order in orders.items()
        for rule in RULES
    }
