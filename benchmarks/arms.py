"""What each arm and each stage of ``auto`` is worth: one pass alone, and ``auto`` without it.

    python benchmarks/arms.py [--seeds 3] [--effort low] [FILE.csv ...]

Peak over bound. Files default to those that are kept here; two generated instances are added.
"""

import argparse
from pathlib import Path
from statistics import median

from planner_runs import DATA, load_csv

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import Effort, plan

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


def ratio(
    problem: Problem, planner: str, seed: int, effort: Effort, off: tuple[str, ...] = ()
) -> float:
    parameters = {
        ("restarts" if name == "search" else name): ("none" if name == "search" else "off")
        for name in off
    }
    result = plan(problem, planner=planner, seed=seed, effort=effort, parameters=parameters)
    return result.peak / max(1, result.bound)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", choices=("low", "medium", "high"), default="low")
    parser.add_argument("files", type=Path, nargs="*")
    arguments = parser.parse_args()
    files = arguments.files or [*sorted(MINIMALLOC.glob("*.csv")), *sorted(DATA.rglob("*.csv"))]
    problems = {path.name.split(".")[0]: load_csv(path) for path in files}
    problems["generated 5k"] = mixed_lifetimes(5_000, 3)
    problems["generated 100k"] = mixed_lifetimes(100_000, 3)
    rows: dict[str, list[str]] = {}
    for problem in problems.values():
        for planner in ONE_PASS:
            skip = planner.startswith("tetris") and len(problem) > LARGE
            cell = "-" if skip else f"{ratio(problem, planner, 0, 'low'):.4f}"
            rows.setdefault(planner, []).append(cell)
        for off in ((), *((stage,) for stage in STAGES), STAGES):
            values = [
                ratio(problem, "auto", seed, arguments.effort, off)
                for seed in range(arguments.seeds)
            ]
            name = "auto" if not off else f"auto without {', '.join(off)}"
            rows.setdefault(name, []).append(f"{median(values):.4f}")
    print(f"| | {' | '.join(problems)} |\n|---|{'---|' * len(problems)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
