"""What `telamalloc` solves, how fast, and what each of its rules is worth.

    python benchmarks/telamalloc.py [--seconds 1.0]
        [--only shapes,steps,solved,orders,rules,targets,trees,bound]

Eight tables, in CPU seconds of one thread. *shapes*: the paper's Table 1 (Maas et al., ASPLOS 2023)
beside its figures; in shape only, as its sizes are not public. *steps*: what a step costs on each
of minimalloc's A to K. *solved*: these above their load, each with so many seconds, and rectangles
cut into tiles (`tilings.py`) at 1.05 times it, each with half of that.
*orders*: the paper's Figure 14, the search against one order and back to the last valid point.
Within 10,000 steps; the paper has 500,000. *rules*: failures and steps without one rule at a time,
within 500,000. *targets*: where a major backtrack goes, on the tilings on which defaults are
chosen. *trees*: what the evaluation of the model costs. *bound*: what the best choice of targets is
worth, if every one of them is tried first.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import tilings

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Pool, Problem
from xdsl_memplan.planners.backtracks import collect_backtracks, look_ahead
from xdsl_memplan.planners.plan import plan

ROOT = Path(__file__).parents[1]
INSTANCES = ROOT / "tests" / "data" / "minimalloc"
SEEDS = range(12)
TUNING_SEEDS = range(100, 112)  # on which the defaults were chosen
SOLVED_SEEDS = range(36)
SEARCH_SEEDS = range(5)
TABLE = (
    Path(__file__).parents[1] / "idealloc-rs" / "idealloc" / "src" / "telamalloc" / "targets.txt"
)
BOUND_STEPS = 1_000
WALL_SECONDS_FOR_ONE_OF_CPU = 8  # machines are busy

Outcome = tuple[bool, float, int, int]
"""Fits; CPU seconds; steps; major backtracks."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="shapes,steps,solved,orders,rules,targets,trees,bound")
    arguments = parser.parse_args()
    tables = arguments.only.split(",")
    if "shapes" in tables:
        shapes()
    if "steps" in tables:
        steps()
    if "solved" in tables:
        solved(arguments.seconds)
    if "orders" in tables:
        orders(arguments.seconds)
    if "rules" in tables:
        rules(arguments.seconds)
    if "targets" in tables:
        targets()
    if "trees" in tables:
        trees()
    if "bound" in tables:
        bound()


def shapes() -> None:
    """The paper's Table 1."""
    print(f"{'shape':22}{'CPU ms':>10}{'paper ms':>10}{'steps':>8}")
    for name, buffers, overlapping, published in (
        ("non-overlapping 1K", 1_000, False, 12),
        ("non-overlapping 10K", 10_000, False, 1_260),
        ("full overlap 100", 100, True, 142),
        ("full overlap 1K", 1_000, True, 100_758),
    ):
        sizes = np.random.default_rng(1).integers(1, 1 << 20, buffers)
        starts = np.zeros(buffers, dtype=np.int64) if overlapping else np.arange(buffers)
        capacity = int(sizes.sum() if overlapping else sizes.max())
        memory = (Pool(capacity=capacity),)
        problem = Problem(sizes=sizes, starts=starts, ends=starts + 1, pools=memory)
        runs = [run(problem, "telamalloc", {}, 60.0) for _ in range(5)]
        if not all(fits for fits, *_ in runs):
            raise SystemExit(f"{name}: not solved")
        least = min(seconds for _, seconds, *_ in runs)
        print(f"{name:22}{1e3 * least:10.1f}{published:10}{runs[0][2]:8}", flush=True)


def steps() -> None:
    """Microseconds of a step, all that comes before the first one included; at most 10,000 steps.

    A step is what the paper counts: a candidate is placed, and what follows from it is propagated.
    What `naive` takes is not counted: to hand the problem over, and to check the plan.
    """
    percents = (102, 105, 110, 120, 130)
    print("\nmicroseconds of a step, and thousand steps, by capacity over load")
    print(f"{'':4}" + "".join(f"{percent / 100:>16.2f}" for percent in percents))
    for name in "ABCDEFGHIJK":
        cells: list[str] = []
        for percent in percents:
            problem = above_load(name, percent)
            runs = [run(problem, "telamalloc", {}, 60.0, "low") for _ in range(15)]
            others = [run(problem, "naive", {}, 60.0) for _ in range(15)]
            least = min(r[1] for r in runs) - min(r[1] for r in others)
            cells.append(f"{1e6 * least / runs[0][2]:.1f}, {runs[0][2] / 1e3:.1f}")
        print(f"{name:4}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def families(seeds: range = SEEDS) -> Iterator[tuple[str, list[Problem]]]:
    """Instances by family; tilings with these seeds."""
    for percent in (110, 120, 130):
        yield f"A to K, {percent / 100:.1f} x load", [above_load(n, percent) for n in "ABCDEFGHIJK"]
    yield from tilings_by_family(seeds)


def tilings_by_family(seeds: range) -> Iterator[tuple[str, list[Problem]]]:
    """Tilings by family, with these seeds."""
    for even in (False, True):
        for buffers in (60, 100):
            for pinwheels in (False, True):
                name = f"{'even ' if even else ''}{'pinwheels' if pinwheels else 'tiles'} {buffers}"
                yield name, [tiles(buffers, seed, pinwheels, even) for seed in seeds]


def above_load(name: str, percent: int) -> Problem:
    """One of minimalloc's instances."""
    path = INSTANCES / f"{name}.1048576.csv"
    with path.open() as stream:
        load = plan(read_problem(stream, name), planner="naive").load
    with path.open() as stream:
        return read_problem(stream, name, capacity=load * percent // 100)


def tiles(buffers: int, seed: int, pinwheels: bool, even: bool) -> Problem:
    """A cut rectangle, at 1.05 times its height."""
    cut = tilings.tiling(buffers, seed, pinwheels=pinwheels, even=even)
    return tilings.problem(cut, tilings.HEIGHT_BYTES * 105 // 100)


def solved(seconds: float) -> None:
    """How many of each family are solved in time."""
    columns: list[tuple[str, str, dict[str, str]]] = [
        ("median", "telamalloc", {}),
        ("model", "telamalloc", {"target": "model"}),
        ("paper's target", "telamalloc", {"target": "paper"}),
        ("exact", "exact", {}),
        ("minimalloc", "minimalloc", {}),
    ]
    print(
        f"\nsolved in {seconds} s each, tilings in half of it: CPU seconds and thousand steps of "
        "these; us a step of all"
    )
    print(f"{'family':24}" + "".join(f"{title:>28}" for title, *_ in columns))
    for family, problems in families(SOLVED_SEEDS):
        each = seconds if family.startswith("A to K") else seconds / 2
        cells: list[str] = []
        for _, planner, parameters in columns:
            runs = [run(problem, planner, parameters, each) for problem in problems]
            done = [r for r in runs if r[0]]
            cell = f"{len(done)}/{len(runs)} {sum(r[1] for r in done):.2f}"
            if planner == "telamalloc":
                steps = sum(r[2] for r in runs)
                cost = 1e6 * sum(r[1] for r in runs) / max(1, steps)
                cell += f" {sum(r[2] for r in done) / 1e3:.1f}k {cost:.1f}us"
            cells.append(cell)
        print(f"{family:24}" + "".join(f"{cell:>28}" for cell in cells), flush=True)


PAPER = {"target": "paper", "noise": "0", "section-check": "false"}
"""The paper's search: no restarts, and no section check, which it does not have."""

ONE_ORDER = {
    "target": "last",
    "noise": "0",
    "section-check": "false",
    "moved": "false",
    "stuck": "0",
    "phase-step": "100",
    "candidates": str(1 << 20),
}
"""A search that tries all buffers at each point, and goes back by one placement."""


def orders(seconds: float) -> None:
    """The paper's Figure 14: failures, and steps where both succeed."""
    everything = [problem for _, problems in families() for problem in problems]
    searches = [("the paper's search", PAPER), ("default", {}), ("model", {"target": "model"})]
    by = ("size", "area", "lifetime", "position")
    searches += [(f"by {order}", ONE_ORDER | {"order": order}) for order in by]
    runs = {
        name: [run(problem, "telamalloc", parameters, seconds, "low") for problem in everything]
        for name, parameters in searches
    }
    print(f"\n{len(everything)} instances, at most 10,000 steps and {seconds} s each")
    print(f"{'search':20}{'failures':>10}{'steps over the paper search, both solved, geomean':>52}")
    ours = runs["the paper's search"]
    for name, theirs in runs.items():
        both = [a[2] / b[2] for a, b in zip(theirs, ours, strict=True) if a[0] and b[0]]
        ratio = float(np.exp(np.log(both).mean()))
        print(f"{name:20}{sum(not r[0] for r in theirs):10}{ratio:52.2f}", flush=True)


def targets() -> None:
    """Failures and thousand steps with each rule for targets, where defaults are chosen."""
    rules = ("last", "paper", "median", "model")
    print(f"\ntilings with seeds 100 to 111, {len(SEARCH_SEEDS)} searches each, 10,000 steps")
    print(f"{'family':24}" + "".join(f"{rule:>16}" for rule in rules))
    sums = {rule: (0, 0) for rule in rules}
    for family, problems in tilings_by_family(TUNING_SEEDS):
        cells: list[str] = []
        for rule in rules:
            runs = [
                run(problem, "telamalloc", {"target": rule}, 60.0, "low", seed)
                for problem in problems
                for seed in SEARCH_SEEDS
            ]
            found = sum(not r[0] for r in runs), sum(r[2] for r in runs)
            sums[rule] = sums[rule][0] + found[0], sums[rule][1] + found[1]
            cells.append(f"{found[0]}, {found[1] / 1e3:.0f}")
        print(f"{family:24}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
    cells = [f"{failures}, {steps / 1e3:.0f}" for failures, steps in sums.values()]
    print(f"{'all':24}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def trees() -> None:
    """Microseconds to score a target, as part of a search.

    The trees that come with the planner, but with leaves that are all the same, do not change where
    the search goes. One of them and all of them differ in CPU time by what the others cost.
    """
    lines = TABLE.read_text().splitlines()
    head = [line for line in lines if not line.startswith("tree ")]
    grown = [line.split(" ") for line in lines if line.startswith("tree ")]
    flat = [" ".join(w if ":" in w or w == "tree" else "1" for w in words) for words in grown]
    print(f"\n{'instance':12}{'backtracks':>12}{'targets':>10}{'us a target':>14}")
    for name in "DFGJK":
        problem = above_load(name, 102)
        least: list[float] = []
        found: dict[str, int] = {}
        for part in (flat[:1], flat):
            parameters = {"target": "model", "table": "\n".join([*head, *part])}
            seconds: list[float] = []
            for _ in range(5):
                before = time.process_time()
                found = dict(
                    plan(
                        problem,
                        planner="telamalloc",
                        effort="low",
                        minimize=False,
                        parameters=parameters,
                    ).statistics
                )
                seconds.append(time.process_time() - before)
            least.append(min(seconds))
        scored = found["targets-scored"]
        cost = 1e6 * (least[1] - least[0]) / scored * len(flat) / (len(flat) - 1)
        print(f"{name:12}{found['major-backtracks']:12}{scored:10}{cost:14.2f}", flush=True)


def bound() -> None:
    """The rules for targets against the best choice, on tilings that are hard to solve."""
    chosen = [
        problem
        for family, problems in families()
        if family.startswith("even") and family.endswith("60")
        for problem in problems
    ]
    print(f"\n{len(chosen)} even tilings, at most {BOUND_STEPS} steps: failures, thousand steps")
    for name, parameters, trial in (
        ("paper, no restarts", {"target": "paper", "noise": "0"}, 0),
        ("each tried for 200 steps", {"target": "paper", "noise": "0"}, 200),
        ("median", {}, 0),
        ("model", {"target": "model"}, 0),
        ("each tried for 200 steps", {}, 200),
    ):
        found = [
            look_ahead(
                problem,
                parameters=parameters,
                steps=BOUND_STEPS,
                trial_steps=trial,
                most=BOUND_STEPS if trial else 0,
            )
            for problem in chosen
        ]
        failures, steps = sum(not f.solved for f in found), sum(f.steps for f in found)
        print(f"{name:28}{failures:5}{steps / 1e3:8.0f}", flush=True)
    asked = [
        collect_backtracks(
            problem,
            parameters={},
            steps=BOUND_STEPS,
            most=BOUND_STEPS,
            oracle_nodes=20_000,
            oracle_share_percent=100,
        )
        for problem in chosen
    ]
    failures, steps = sum(not a.solved for a in asked), sum(a.steps for a in asked)
    print(f"{'deepest that `exact` solves':28}{failures:5}{steps / 1e3:8.0f}", flush=True)


def rules(seconds: float) -> None:
    """What is lost without each rule."""
    everything = [problem for _, problems in families() for problem in problems]
    variants: list[tuple[str, dict[str, str]]] = [
        ("all rules, median", {}),
        ("model", {"target": "model"}),
        ("paper's target", {"target": "paper"}),
        ("paper's, no restarts", {"target": "paper", "noise": "0"}),
        ("restarts blame nothing", {"blame": "0"}),
        ("no order by position", {"order": "paper"}),
        ("the order by position", {"order": "position"}),
        ("no moved candidates", {"moved": "false"}),
        ("no phases", {"phase-step": "100"}),
        ("no stuck rule", {"stuck": "0"}),
        ("no section check", {"section-check": "false"}),
        ("restart when exhausted", {"restart": "0"}),
    ]
    print(f"\n{len(everything)} instances, at most 500,000 steps and {seconds} s each")
    print(f"{'variant':24}{'failures':>10}{'steps, both solved':>20}{'of all rules':>14}")
    best = [run(problem, "telamalloc", {}, seconds) for problem in everything]
    for name, parameters in variants:
        runs = (
            best
            if not parameters
            else [run(problem, "telamalloc", parameters, seconds) for problem in everything]
        )
        both = [(r, b) for r, b in zip(runs, best, strict=True) if r[0] and b[0]]
        steps, least = sum(r[2] for r, _ in both), sum(b[2] for _, b in both)
        failures = sum(not r[0] for r in runs)
        print(f"{name:24}{failures:10}{steps:20}{steps / max(1, least):14.2f}", flush=True)


def run(
    problem: Problem,
    planner: str,
    parameters: dict[str, str],
    seconds: float,
    effort: Literal["low", "medium"] = "medium",
    seed: int = 0,
) -> Outcome:
    """One question, answered in time or not."""
    before = time.process_time()
    found = plan(
        problem,
        planner=planner,
        effort=effort if planner == "telamalloc" else "high",
        minimize=False,
        seed=seed,
        time_limit_seconds=WALL_SECONDS_FOR_ONE_OF_CPU * seconds,
        parameters=parameters,
    )
    used = time.process_time() - before
    fits = found.peak <= (problem.pools[0].capacity or 0) and used <= seconds
    statistics = dict(found.statistics)
    return fits, used, statistics.get("steps", 0), statistics.get("major-backtracks", 0)


if __name__ == "__main__":
    main()
