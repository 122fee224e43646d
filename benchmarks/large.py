"""Large instances: published ones at their load, and generated ones up to millions of buffers.

    python benchmarks/large.py [--corpus DIR] [--seeds 5] [--most 1000000] [--peers]

DIR holds idealloc's instances (G_1, S_1, Y_1, pangu_2.6B, resnet50 as CSV, in any folder below);
without it the two that are small enough to be kept here. Seconds are CPU seconds through Python.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from planner_runs import DATA, Run, cp_sat, load_csv, medians, omnimalloc, peak_gib, run

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import Effort

Make = Callable[[int, int], Problem]

PUBLISHED = ("G_1", "resnet50", "S_1", "Y_1", "pangu_2.6B")


def show(name: str, planner: str, result: Run) -> None:
    print(
        f"{name:14} {planner:22} {result.ratio:9.6f} {result.seconds:9.3f} s  {result.stop}",
        flush=True,
    )


def published(corpus: Path, seeds: int, peers: bool) -> None:
    for name in PUBLISHED:
        for path in sorted(corpus.rglob(f"{name}.csv")):
            problem = load_csv(path)
            show(name, "auto", medians(lambda seed: run(problem, "auto", seed=seed), seeds))
            if peers:
                show(name, "idealloc (here)", run(problem, "idealloc"))
                if (other := omnimalloc(problem)) is not None:
                    show(name, "omnimalloc", other)
                if len(problem) <= 2000:
                    show(name, "CP-SAT", cp_sat(problem, 60))


def wide(buffers: int, seed: int) -> Problem:
    """Make buffers with the lifetimes of ``mixed_lifetimes`` and sizes from 64 B to 128 MiB.

    No order or constant of ``auto`` was chosen on these.
    """
    random = np.random.default_rng(seed)
    octaves = random.integers(6, 27, buffers)
    sizes = (1 << octaves) + (random.random(buffers) * (1 << octaves)).astype(np.int64)
    base = mixed_lifetimes(buffers, seed)
    return Problem(sizes=sizes, starts=base.starts, ends=base.ends)


def generated(most: int, seeds: int, threads: int) -> None:
    for title, make in (("1 KiB to 16 MiB", mixed_lifetimes), ("64 B to 128 MiB", wide)):
        print(f"\nsizes {title}\nbuffers        planner             peak/bound   CPU")
        for buffers in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000):
            if buffers > most:
                break
            count = seeds if buffers <= 100_000 else min(seeds, 2)
            for effort in ("low", "medium") if buffers != 1_000_000 else ("low", "medium", "high"):

                def once(
                    seed: int, make: Make = make, buffers: int = buffers, effort: Effort = effort
                ) -> Run:
                    problem = make(buffers, seed)
                    return run(problem, "auto", effort=effort, seed=seed, threads=threads)

                show(f"{buffers:,}", f"auto, {effort}", medians(once, count))
            print(f"{'':14} most memory so far {peak_gib():.2f} GiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=1_000_000, help="largest generated instance")
    parser.add_argument("--threads", type=int, default=1, help="for generated instances")
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    print("instance       planner             peak/bound   CPU")
    published(arguments.corpus, arguments.seeds, arguments.peers)
    generated(arguments.most, arguments.seeds, arguments.threads)


if __name__ == "__main__":
    main()
