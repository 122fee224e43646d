"""What tree search gains over independent restarts, at equal numbers of plays.

    python benchmarks/mcts_ablation.py [--seeds 5] [--lives 200] [--portfolio] [--corpus DIR]

On boxing (planner idealloc): where the best of all boxed layouts ends, over the load. 20 instances:
minimalloc's A to K, two of idealloc's, and generated ones; other CSV files with `--corpus`. With
`--portfolio` on orders and climbs (planner auto without exact search and repair). Means over seeds;
"wins" counts seeds where tree search ends lower, and an instance is won if its mean is lower.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from planner_runs import DATA, load_csv

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.tools.benchmark.instances import generated

MINIMALLOC = Path(__file__).parent.parent / "tests" / "data" / "minimalloc"
PORTFOLIO = {"exact": "off", "repair": "off"}
MOST = 20_000
"""Buffers; with more a play of boxing takes seconds."""

GENERATED = ((700, 200, 1), (1_000, 100, 0), (1_000, 300, 0), (3_000, 300, 0))
MIXED = ((400, 0), (1_500, 1), (5_000, 3))


def problems(corpus: Path | None) -> Iterator[tuple[str, Problem]]:
    """Name every instance."""
    folders = [corpus] if corpus else [MINIMALLOC, DATA / "idealloc"]
    for folder in folders:
        for path in sorted(folder.rglob("*.csv")):
            yield path.name.split(".")[0], load_csv(path)
    if corpus is None:
        for buffers, alive, seed in GENERATED:
            yield f"{buffers:,}, {alive} alive", generated(buffers, alive, seed).problem
        for buffers, seed in MIXED:
            yield f"mixed {buffers:,}", mixed_lifetimes(buffers, seed)


def reached(problem: Problem, restarts: str, seed: int, arguments: argparse.Namespace) -> float:
    """Peak over load of the best play."""
    of_boxing = {"lives": str(arguments.lives)}
    parameters = {"restarts": restarts} | (PORTFOLIO if arguments.portfolio else of_boxing)
    planner = "auto" if arguments.portfolio else "idealloc"
    found = plan(problem, planner=planner, seed=seed, parameters=parameters, threads=1)
    peak = found.peak if arguments.portfolio else found.statistics["boxed-peak"]
    return peak / found.load


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--lives", type=int, default=200)
    parser.add_argument("--portfolio", action="store_true")
    parser.add_argument("--corpus", type=Path)
    arguments = parser.parse_args()
    print("| instance | tree | independent | wins / loses |\n|---|---|---|---|")
    won = lost = 0
    for name, problem in problems(arguments.corpus):
        if len(problem) > MOST:
            continue
        seeds = range(arguments.seeds)
        tree = [reached(problem, "tree", seed, arguments) for seed in seeds]
        independent = [reached(problem, "independent", seed, arguments) for seed in seeds]
        pairs = list(zip(tree, independent, strict=True))
        wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
        won += mean(tree) < mean(independent)
        lost += mean(tree) > mean(independent)
        row = f"{mean(tree):.4f} | {mean(independent):.4f} | {wins} / {losses}"
        print(f"| {name} | {row} |", flush=True)
    print(f"instances won {won}, lost {lost}")


if __name__ == "__main__":
    main()
