"""What the model of the planner `telamalloc` learns from: backtracks and how good targets were."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xdsl_memplan import _idealloc
from xdsl_memplan.model.integers import Int64Array
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import as_core_problem

FEATURES: tuple[str, ...] = tuple(_idealloc.BACKTRACK_FEATURES)
"""What the columns of `Backtracks.features` are; the first nine are the paper's."""


class Backtracks(NamedTuple):
    """Targets, one row each, in the order of backtracks; then one value for each backtrack."""

    features: NDArray[np.float32]
    levels: Int64Array
    """Decisions that are kept at each target."""
    targets: Int64Array
    """How many rows a backtrack has."""
    minimum: Int64Array
    """Level of the deepest point whose placements `exact` can complete."""
    best: Int64Array
    """Level of the deepest point shared with the solution found; 0 where none was."""
    solved: bool
    """Whether the search found positions for every part."""
    steps: int
    """Placements that the search tried."""


def collect_backtracks(
    problem: Problem,
    *,
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
    steps: int = 20_000,
    most: int = 60,
    oracle_nodes: int = 2_000,
    oracle_share_percent: int = 50,
) -> Backtracks:
    """Record up to ``most`` major backtracks of each independent part of ``problem``.

    The search takes up to ``steps`` placements and has the ``parameters`` of the planner; that
    share of its backtracks goes where the oracle says, which is `exact` with so many nodes for each
    question. Nothing is recorded of a part that the oracle does not solve.

    Raises InvalidOptionError for parameters that are not known, and for a problem without a
    capacity. Source: Maas et al., ASPLOS 2023, sections 6.2 to 6.4.
    """
    rows, levels, (targets, _, minimum, best, _), counts = _idealloc.backtracks(
        as_core_problem(problem),
        seed=seed,
        parameters=dict(parameters or {}),
        steps=steps,
        most=most,
        oracle_nodes=oracle_nodes,
        oracle_share=oracle_share_percent,
    )
    return Backtracks(
        np.array(rows, dtype=np.float32).reshape(-1, len(FEATURES)),
        *(np.array(values, dtype=np.int64) for values in (levels, targets, minimum, best)),
        steps=counts[1],
        solved=counts[2] == counts[3],
    )


class Ahead(NamedTuple):
    """What came of trying every target of a backtrack."""

    solved: bool
    steps: int
    """Placements that the search tried, without the trials."""
    features: NDArray[np.float32]
    """One row for each target, in the order of backtracks."""
    costs: Int64Array
    """Steps from each target until everything was placed; those of a trial where it was not."""
    targets: Int64Array
    """How many rows a backtrack has."""


def look_ahead(
    problem: Problem,
    *,
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
    steps: int = 10_000,
    trial_steps: int = 300,
    most: int = 1 << 40,
    share_percent: int = 100,
) -> Ahead:
    """Search, and try each target of up to ``most`` backtracks for ``trial_steps`` first.

    So is starting over. That share of the backtracks goes where everything was placed soonest, the
    others where the ``parameters`` of the planner say. With all of them the result is what the best
    choice of targets is worth.

    Raises InvalidOptionError for parameters that are not known, and for a problem without a
    capacity.
    """
    solved, placed, rows, costs, targets = _idealloc.lookahead_backtracks(
        as_core_problem(problem),
        seed=seed,
        parameters=dict(parameters or {}),
        steps=steps,
        trial=trial_steps,
        most=most,
        share=share_percent,
    )
    return Ahead(
        solved,
        placed,
        np.array(rows, dtype=np.float32).reshape(-1, len(FEATURES)),
        np.array(costs, dtype=np.int64),
        np.array(targets, dtype=np.int64),
    )
