"""What tree search gains over independent restarts, at equal numbers of evaluations.

    python benchmarks/mcts_ablation.py [--seeds 5] [--corpus DIR] [--lives 200]

On boxing alone (planner idealloc), and on the whole portfolio (planner auto without exact search
and repair). Peak over bound, medians over seeds; "wins" counts seeds where tree search ends lower.
"""

import argparse
from pathlib import Path
from statistics import median

from planner_runs import DATA, load_csv

from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan


def compare(
    name: str, problem: object, planner: str, parameters: dict[str, str], seeds: int
) -> None:
    ratios: dict[str, list[float]] = {}
    for restarts in ("tree", "independent"):
        ratios[restarts] = []
        for seed in range(seeds):
            result = plan(
                problem,  # type: ignore[arg-type]
                planner=planner,
                seed=seed,
                parameters={"restarts": restarts, **parameters},
            )
            ratios[restarts].append(result.peak / result.bound)
    pairs = list(zip(ratios["tree"], ratios["independent"], strict=True))
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    print(
        f"{name:14} {planner:9} tree {median(ratios['tree']):.6f}  independent "
        f"{median(ratios['independent']):.6f}  wins {wins} losses {losses} of {seeds}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--lives", type=int, default=200)
    parser.add_argument("--corpus", type=Path, default=DATA)
    arguments = parser.parse_args()
    problems = {path.stem: load_csv(path) for path in sorted(arguments.corpus.rglob("*.csv"))}
    problems["generated 5k"] = mixed_lifetimes(5_000, 3)
    for name, problem in problems.items():
        if len(problem) > 20_000:
            continue
        lives = {"lives": str(arguments.lives)}
        compare(name, problem, "idealloc", lives, arguments.seeds)
        compare(name, problem, "auto", {"exact": "off", "repair": "off"}, arguments.seeds)


if __name__ == "__main__":
    main()
