"""What each arm and each stage of ``auto`` is worth: one pass alone, and ``auto`` without it.

    python benchmarks/arms.py [--seeds 3] [--effort low] [--tree] [FILE.csv ...]

Peak over bound. With `--tree` what each arm of tree search is worth at equal work: without exact
search and repair, with all orders and without each of them. Files default to those that are kept
here; generated instances are added.
"""

import argparse
from pathlib import Path
from statistics import median

from planner_runs import DATA, load_csv

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import Effort, plan
from xdsl_memplan.tools.benchmark.instances import generated

ONE_PASS = (
    "first-fit-by-size",
    "first-fit-by-area",
    "first-fit-by-lifetime",
    "first-fit-by-contention",
    "first-fit-peak-first",
    "best-fit-by-size",
    "best-fit-by-area",
    "best-fit-by-lifetime",
    "tetris-by-size",
    "tetris-by-area",
    "tetris-by-lifetime",
)
STAGES = ("exact", "repair", "blends", "search")
MINIMALLOC = Path(__file__).parent.parent / "tests" / "data" / "minimalloc"
# Lowest-first looks at buffers again and again: minutes on large instances.
LARGE = 20_000


ORDERS = 15
TREE_ONLY = {"exact": "off", "repair": "off"}


def without(*stages: str) -> dict[str, str]:
    return {
        ("restarts" if name == "search" else name): ("none" if name == "search" else "off")
        for name in stages
    }


def ratio(
    problem: Problem,
    planner: str,
    seed: int,
    effort: Effort,
    parameters: dict[str, str] | None = None,
) -> float:
    result = plan(problem, planner=planner, seed=seed, effort=effort, parameters=parameters)
    return result.peak / max(1, result.bound)


def tree_arms() -> dict[str, dict[str, str]]:
    """Name every setting of the arms of tree search with its parameters."""
    settings = {"all orders": TREE_ONLY}
    for order in range(ORDERS):
        settings[f"without order {order}"] = TREE_ONLY | {"without-order": str(order)}
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", choices=("low", "medium", "high"), default="low")
    parser.add_argument("--tree", action="store_true")
    parser.add_argument("files", type=Path, nargs="*")
    arguments = parser.parse_args()
    files = arguments.files or [*sorted(MINIMALLOC.glob("*.csv")), *sorted(DATA.rglob("*.csv"))]
    problems = {path.name.split(".")[0]: load_csv(path) for path in files}
    for buffers, live, seed in ((1_000, 100, 0), (1_000, 100, 2), (700, 200, 1)):
        name = f"{buffers:,}, {live} live, {seed}"
        problems[name] = generated(buffers, live, seed).problem
    problems["mixed 10k"] = mixed_lifetimes(10_000, 6)
    if not arguments.tree:
        problems["mixed 100k"] = mixed_lifetimes(100_000, 3)
    settings = {"auto": {}} | {f"auto without {stage}": without(stage) for stage in STAGES}
    settings["orders alone"] = without(*STAGES)
    if arguments.tree:
        settings = tree_arms()
    rows: dict[str, list[str]] = {}
    for problem in problems.values():
        for planner in () if arguments.tree else ONE_PASS:
            skip = planner.startswith("tetris") and len(problem) > LARGE
            cell = "-" if skip else f"{ratio(problem, planner, 0, 'low'):.4f}"
            rows.setdefault(planner, []).append(cell)
        for name, parameters in settings.items():
            values = [
                ratio(problem, "auto", seed, arguments.effort, parameters)
                for seed in range(arguments.seeds)
            ]
            rows.setdefault(name, []).append(f"{median(values):.4f}")
    print(f"| | {' | '.join(problems)} |\n|---|{'---|' * len(problems)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
