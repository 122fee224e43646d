"""Train the model behind `telamalloc`'s ``target=model``, and compare it on instances held out.

    python benchmarks/train_telamalloc.py [--instances 400] [--rounds 2] [--write] [--quick]

Learned backtracking of Maas et al., ASPLOS 2023, section 6. *Data*: major backtracks of tilings and
generated lifetimes, each with the minimum target that `exact` finds and the best target that the
solution found shows; half of the backtracks go where the oracle says. Rounds after the first follow
the model of the one before, so that it learns from its own visits. *Split*: by instance, four
fifths to train. *Model*: LightGBM's boosted trees, regression on the paper's score; where the
paper's library YDF is installed, its trees are compared. *Figures*: importance of features as the
rise of the error when one is shuffled (the paper's Figure 17), and steps and failures on instances
that are no part of the data (tilings of other seeds, A to K), within 10,000 and within the paper's
500,000 steps. With ``--write`` the table becomes the one that the core embeds, and the figure that
of the docs; ``--quick`` leaves the comparisons out.
"""

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import matplotlib as mpl
import numpy as np
import telamalloc
import tilings
from numpy.typing import NDArray

from xdsl_memplan import _idealloc
from xdsl_memplan.model.problem import Pool, Problem
from xdsl_memplan.planners.backtracks import FEATURES, collect_backtracks, look_ahead
from xdsl_memplan.planners.plan import plan

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "idealloc-rs" / "idealloc" / "src" / "telamalloc" / "targets.txt"
FIGURE = ROOT / "docs" / "figures" / "telamalloc_importance.png"
FIRST_SEED = 10_000  # far from those of the benchmarks
STEPS = 20_000
BACKTRACKS = 60
ORACLE_NODES = 2_000
TREES = 100
DEPTH = 4
TRIAL_STEPS = 400
TRIED = 25
OPTIONS = {
    "objective": "regression",
    "num_leaves": 2**DEPTH,
    "max_depth": DEPTH,
    "learning_rate": 0.1,
    "min_data_in_leaf": 50,
    "deterministic": True,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}
"""LightGBM's."""
COMPARISONS = (("low", range(3)), ("medium", range(1)))
"""Effort, which is 10,000 or 500,000 steps, and seeds of the search."""


@dataclass(frozen=True)
class Data:
    """Targets of backtracks, one row each, and what is known of the backtrack of each row."""

    rows: NDArray[np.float32]
    levels: NDArray[np.int64]
    minimum: NDArray[np.int64]
    best: NDArray[np.int64]
    backtracks: NDArray[np.int64]
    instances: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> "Data":
        """The rows of some backtracks."""
        return Data(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def scores(self) -> NDArray[np.float64]:
        """The score of section 6.4: 10 at the best target, 5 near the minimum one, 0 beyond."""
        between = (self.levels >= self.best) & (self.levels <= self.minimum)
        width = np.maximum(1, self.minimum - self.best + 1)
        return np.where(between, 10 - 5 * (self.levels - self.best) / width, 0)

    def weights(self) -> NDArray[np.float64]:
        """Instances with many backtracks count less for each of them."""
        _, which, count = np.unique(self.instances, return_inverse=True, return_counts=True)
        return 1 / np.sqrt(count[which])


def main() -> None:
    """Collect, train, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--instances", type=int, default=400, help="in each round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    parts: list[Data] = []
    table, booster, data = "", None, None
    began = time.process_time()
    for turn in range(arguments.rounds):
        seeds = range(turn * arguments.instances, (turn + 1) * arguments.instances)
        parts.append(collect(seeds, table))
        data = joined(parts)
        booster = fit(data.part(data.instances % 5 != 0))
        made = (
            f"lightgbm {lightgbm.__version__}; {len(data.rows)} rows of "
            f"{len(np.unique(data.backtracks))} backtracks of {len(np.unique(data.instances))} "
            f"instances, {turn + 1} rounds"
        )
        table = as_table(booster, made)
        print(f"{made}; {time.process_time() - began:.0f} CPU s", flush=True)
    assert data is not None
    assert booster is not None
    held_out = data.part(data.instances % 5 == 0)
    agreement(held_out, np.asarray(booster.predict(held_out.rows)))
    if not arguments.quick:
        libraries(data.part(data.instances % 5 != 0), held_out)
    rises = importance(held_out, booster)
    if not arguments.quick:
        worth(range(arguments.instances * 2), booster)
        for effort, seeds in COMPARISONS:
            compare(table, effort, seeds)
    if arguments.write:
        draw(rises)
        TABLE.write_text(table)
        print(f"{TABLE.relative_to(ROOT)}: {len(table)} bytes; build the core again")


def instance(seed: int) -> Problem:
    """A tiling, or generated lifetimes one time in four; a little above its load."""
    rng = random.Random(f"telamalloc {seed}")
    if rng.random() < 0.25:
        buffers = rng.choice([100, 150, 200, 300])
        sizes, starts, ends = (np.empty(buffers, dtype=np.int64) for _ in range(3))
        _idealloc.mixed_lifetimes(seed, sizes, starts, ends)
        ticks = max(1, 1_000 // (buffers // 4))
        starts //= ticks
        ends = np.maximum(starts + 1, ends // ticks)
        load = plan(Problem(sizes=sizes, starts=starts, ends=ends), planner="naive").load
        memory = (Pool(capacity=load * rng.choice([100, 101, 102, 105]) // 100),)
        return Problem(sizes=sizes, starts=starts, ends=ends, pools=memory)
    cut = tilings.tiling(
        rng.choice([40, 50, 60, 70, 80, 100, 120, 150]),
        FIRST_SEED + seed,
        pinwheels=rng.random() < 0.5,
        even=rng.random() < 0.5,
        left_out=rng.choice([0, 0, 0.01, 0.03]),
    )
    return tilings.problem(cut, tilings.HEIGHT_BYTES * rng.choice([102, 103, 105, 105, 108]) // 100)


def collect(seeds: range, table: str) -> Data:
    """Record backtracks: after the rule, or after a model and with restarts."""
    parameters = {"target": "model", "table": table} if table else {"restart": "0"}
    found = {
        seed: collect_backtracks(
            instance(seed),
            seed=seed,
            parameters=parameters,
            steps=STEPS,
            most=BACKTRACKS,
            oracle_nodes=ORACLE_NODES,
            oracle_share_percent=20 if table else 50,
        )
        for seed in seeds
    }
    of_rows = [
        (minimum, best, seed * BACKTRACKS + k, seed)
        for seed, part in found.items()
        for k, (targets, minimum, best) in enumerate(zip(*part[2:5], strict=True))
        for _ in range(targets)
    ]
    return Data(
        np.concatenate([part.features for part in found.values()]),
        np.concatenate([part.levels for part in found.values()]),
        *np.array(of_rows, dtype=np.int64).T,
    )


def joined(parts: Sequence[Data]) -> Data:
    """All rounds."""
    fields = Data.__dataclass_fields__
    return Data(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


def fit(data: Data) -> lightgbm.Booster:
    """Boosted trees that are no deeper than the table allows."""
    rows = lightgbm.Dataset(data.rows, data.scores(), weight=data.weights())
    return lightgbm.train(OPTIONS, rows, TREES)


def as_table(booster: lightgbm.Booster, made: str) -> str:
    """The trees as text, completed: see `trees.rs`."""
    lines = ["telamalloc targets 1", f"made {made}", "features " + " ".join(FEATURES)]
    lines.append(f"depth {DEPTH}")
    inner = 2**DEPTH - 1
    for tree in booster.dump_model()["tree_info"]:
        nodes = ["0:0"] * inner
        leaves = ["0"] * (inner + 1)
        pending = [(tree["tree_structure"], 0)]
        while pending:
            node, at = pending.pop()
            if at >= inner:
                leaves[at - inner] = f"{node['leaf_value']:.5g}"
                continue
            left = right = node  # a leaf above the last level stands on both sides
            if "split_feature" in node:
                nodes[at] = f"{node['split_feature']}:{float(np.float32(node['threshold'])):.7g}"
                left, right = node["left_child"], node["right_child"]
            pending += [(left, 2 * at + 1), (right, 2 * at + 2)]
        lines.append("tree " + " ".join(nodes + leaves))
    return "\n".join(lines) + "\n"


def libraries(data: Data, held_out: Data) -> None:
    """The same trees by LightGBM and by YDF, if that is installed: time, error and agreement."""

    def shown(name: str, predicted: NDArray[np.float64], seconds: float) -> None:
        error = float(np.sqrt(((predicted - held_out.scores()) ** 2).mean()))
        print(f"\n{name}: {seconds:.1f} CPU s to train, error {error:.4f} on held-out rows", end="")
        agreement(held_out, predicted)

    began = time.process_time()
    booster = fit(data)
    seconds = time.process_time() - began
    shown(f"LightGBM {lightgbm.__version__}", np.asarray(booster.predict(held_out.rows)), seconds)
    try:
        import ydf
    except ImportError:
        return
    learner = ydf.GradientBoostedTreesLearner(
        label="score",
        weights="weight",
        task=ydf.Task.REGRESSION,
        num_trees=TREES,
        max_depth=DEPTH + 1,  # YDF counts nodes on the way
        shrinkage=0.1,
        min_examples=50,
        validation_ratio=0.0,
        num_threads=1,
        random_seed=1,
    )
    columns = {name: data.rows[:, k] for k, name in enumerate(FEATURES)}
    began = time.process_time()
    model = learner.train(columns | {"score": data.scores(), "weight": data.weights()}, verbose=0)
    seconds = time.process_time() - began
    asked = {name: held_out.rows[:, k] for k, name in enumerate(FEATURES)}
    shown(f"YDF {ydf.__version__}", np.asarray(model.predict(asked)), seconds)


def agreement(data: Data, predicted: NDArray[np.float64]) -> None:
    """How often the target of the model, and that of each rule, is between best and minimum."""
    starts = np.flatnonzero(np.r_[True, np.diff(data.backtracks) != 0])
    groups = np.split(np.arange(len(data.rows)), starts[1:])
    choices = {
        "model": lambda rows: rows[predicted[rows].argmax()],
        "median": lambda rows: rows[len(rows) // 2],
        "deepest": lambda rows: rows[-1],
    }
    print("\nheld-out backtracks whose target is between best and minimum")
    for name, choose in choices.items():
        chosen = [choose(rows) for rows in groups]
        inside = (data.levels[chosen] >= data.best[chosen]) & (
            data.levels[chosen] <= data.minimum[chosen]
        )
        print(f"{name:10}{100 * inside.mean():6.1f} %")


def importance(data: Data, booster: lightgbm.Booster) -> list[tuple[float, str]]:
    """By how much the error on held-out rows rises when a feature is shuffled, least first."""
    rng = np.random.default_rng(1)

    def error(rows: NDArray[np.float32]) -> float:
        difference = np.asarray(booster.predict(rows)) - data.scores()
        return float(np.sqrt((difference**2).mean()))

    base = error(data.rows)
    rises: list[tuple[float, str]] = []
    for k, name in enumerate(FEATURES):
        shuffled = data.rows.copy()
        shuffled[:, k] = rng.permutation(shuffled[:, k])
        rises.append((error(shuffled) - base, name))
    rises.sort()
    print(f"\nroot mean square error {base:.3f} of scores that vary by {data.scores().std():.3f}")
    for rise, name in reversed(rises):
        print(f"{name:14}{rise:8.3f}")
    return rises


def worth(seeds: range, booster: lightgbm.Booster) -> None:
    """What choosing a target is worth: steps to the end from each, by trial.

    Only backtracks whose targets differ count. A second model learns these steps themselves.
    """
    rows: list[NDArray[np.float32]] = []
    costs: list[NDArray[np.int64]] = []
    instances: list[int] = []
    backtracks = 0
    for seed in seeds:
        found = look_ahead(
            instance(seed),
            seed=seed,
            steps=STEPS,
            trial_steps=TRIAL_STEPS,
            most=TRIED,
            share_percent=30,
        )
        ends = np.cumsum(found.targets)[:-1]
        backtracks += len(found.targets)
        for features, steps in zip(
            np.split(found.features, ends), np.split(found.costs, ends), strict=True
        ):
            if len(steps) and steps.min() < steps.max():
                rows.append(features)
                costs.append(steps)
                instances.append(seed)
    train = [k for k, seed in enumerate(instances) if seed % 5 != 0]
    taught = lightgbm.train(
        OPTIONS,
        lightgbm.Dataset(
            np.concatenate([rows[k] for k in train]),
            np.concatenate([-costs[k] for k in train]),
        ),
        TREES,
    )
    held_out = [k for k, seed in enumerate(instances) if seed % 5 == 0]
    choices = {
        "any, on average": lambda k: costs[k].mean(),
        "deepest": lambda k: costs[k][-1],
        "median": lambda k: costs[k][len(costs[k]) // 2],
        "model": lambda k: costs[k][np.asarray(booster.predict(rows[k])).argmax()],
        "model of these steps": lambda k: costs[k][np.asarray(taught.predict(rows[k])).argmax()],
        "best": lambda k: costs[k].min(),
    }
    print(
        f"\n{backtracks} backtracks, {len(instances)} with targets that differ within "
        f"{TRIAL_STEPS} steps; mean steps to the end of {len(held_out)} held out, by target"
    )
    for name, cost in choices.items():
        print(f"{name:22}{np.mean([cost(k) for k in held_out]):8.0f}")


def draw(rises: list[tuple[float, str]]) -> None:
    """Draw the importance of features as a bar chart."""
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.barh([name for _, name in rises], [rise for rise, _ in rises])
    axes.set_xlabel("rise of the root mean square error when shuffled")
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=120)


def compare(table: str, effort: str, seeds: Sequence[int]) -> None:
    """Steps and failures on instances that are no part of the data."""
    columns: list[tuple[str, dict[str, str]]] = [
        ("paper, no restarts", {"target": "paper", "noise": "0"}),
        ("paper", {"target": "paper"}),
        ("median", {}),
        ("model", {"target": "model", "table": table}),
    ]
    problems = [
        (family, problem, seed)
        for family, members in telamalloc.families()
        for problem in members
        for seed in seeds
    ]
    results = {
        title: [outcome(problem, effort, seed, parameters) for _, problem, seed in problems]
        for title, parameters in columns
    }
    print(f"\nfailures and thousand steps of {len(problems)} runs, effort {effort}")
    print(f"{'family':24}{'runs':>5}" + "".join(f"{title:>20}" for title, _ in columns))
    for family in [*dict.fromkeys(name for name, *_ in problems), "all"]:
        chosen = [k for k, (name, *_) in enumerate(problems) if family in (name, "all")]
        cells = [
            f"{sum(not results[title][k][0] for k in chosen)}, "
            f"{sum(results[title][k][1] for k in chosen) / 1e3:.0f}"
            for title, _ in columns
        ]
        print(f"{family:24}{len(chosen):5}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
    for title, _ in columns[:-1]:
        both = [
            (a[1], b[1])
            for a, b in zip(results[title], results["model"], strict=True)
            if a[0] and b[0]
        ]
        theirs, ours = (sum(steps) for steps in zip(*both, strict=True))
        print(
            f"where both solve ({len(both)}): {title} {theirs} steps, model {ours}, "
            f"{ours / theirs:.3f} of these"
        )


def outcome(
    problem: Problem, effort: str, seed: int, parameters: dict[str, str]
) -> tuple[bool, int]:
    """Whether it is solved, and the steps."""
    found = plan(
        problem,
        planner="telamalloc",
        effort=effort,
        minimize=False,
        seed=seed,
        parameters=parameters,
    )
    return found.peak <= (problem.pools[0].capacity or 0), found.statistics["steps"]


if __name__ == "__main__":
    main()
