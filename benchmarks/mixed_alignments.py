"""How far above its bound `auto` ends where alignments are mixed, or lives short.

    python benchmarks/mixed_alignments.py [--seeds 7 8] [--buffers 2000 20000] [--effort medium]

One row per instance: peak and bound in bytes, the gap between them in percent, CPU seconds. About
60 buffers are alive at a time; sizes are uniform to 64 KiB or log-uniform to 1 MiB, and each buffer
is aligned to one of two powers of two, by chance.
"""

import argparse
import random
import time

from xdsl_memplan import Buffer, Lifetime, Plan, Problem, plan

_SHAPES = {
    "uniform, 64 and 4096": ("uniform", (64, 4096)),
    "log-uniform, 64 and 4096": ("log-uniform", (64, 4096)),
    "uniform, 32 and 512": ("uniform", (32, 512)),
    "uniform, 64": ("uniform", (64, 64)),
}

_ALIVE = 12
"""Buffers that begin at a moment. The mean life is five moments longer than one."""


def instance(buffers: int, sizes: str, alignments: tuple[int, int], seed: int) -> Problem:
    """Make buffers of short lives; the same arguments make the same ones."""
    chance = random.Random(f"{buffers} {sizes} {alignments} {seed}")
    moments = max(1, buffers // _ALIVE)

    def one(number: int) -> Buffer:
        start = chance.randrange(moments)
        end = start + 1 + int(chance.expovariate(1 / 5))
        uniform = sizes == "uniform"
        size = chance.randrange(1, 1 << 16) if uniform else int(2 ** chance.uniform(6, 20))
        lifetime = Lifetime(start, max(start + 1, min(moments, end)))
        return Buffer(str(number), size, lifetime, chance.choice(alignments))

    return Problem.from_buffers([one(number) for number in range(buffers)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs="+", type=int, default=[7, 8])
    parser.add_argument("--buffers", nargs="+", type=int, default=[2_000, 20_000])
    parser.add_argument("--effort", default="medium")
    options = parser.parse_args()
    print("| buffers | sizes, alignments | seed | peak | bound | gap | CPU s |")
    print("|-:|---|-:|-:|-:|-:|-:|")
    for buffers in options.buffers:
        for name, (sizes, alignments) in _SHAPES.items():
            for seed in options.seeds:
                problem = instance(buffers, sizes, alignments, seed)
                before = time.process_time()
                found: Plan = plan(problem, effort=options.effort, threads=1)
                seconds = time.process_time() - before
                gap = 100 * (found.peak / found.bound - 1)
                row = (f"{buffers:,}", name, seed, f"{found.peak:,}", f"{found.bound:,}")
                print("|", *(f"{entry} |" for entry in row), f"{gap:.3f} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
