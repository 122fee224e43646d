"""How much faster planners are than the fastest installed implementation of the same rule.

    python benchmarks/same_rule.py [--rounds 3] [--buffers 10000]

Two generated problems, 128 and 1,000 buffers alive at a time; planners and peers take turns. CPU
seconds, medians over rounds; a peer that needs more than a few seconds runs in the first round
only. Every layout is checked. `executorch` and Triton's peers import torch and are left out.
"""

import argparse
from statistics import median

from xdsl_memplan.tools.benchmark.contenders import Limits, ours
from xdsl_memplan.tools.benchmark.instances import generated
from xdsl_memplan.tools.benchmark.measure import Run, measure
from xdsl_memplan.tools.benchmark.peers import peers
from xdsl_memplan.tools.benchmark.report import same_rule_rows
from xdsl_memplan.tools.benchmark.same_rule import SAME_RULE, compare_same_rule

ALIVE = (128, 1_000)
LEFT_OUT = ("executorch", "triton")
SLOW = 3.0
"""CPU seconds from which one round is enough."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--buffers", type=int, default=10_000)
    arguments = parser.parse_args()
    named = set(SAME_RULE) | {peer for rivals in SAME_RULE.values() for peer in rivals}
    installed, _ = peers()
    contenders = [
        one
        for one in [*ours(), *installed]
        if one.name in named and not any(text in one.name for text in LEFT_OUT)
    ]
    instances = [generated(arguments.buffers, alive) for alive in ALIVE]
    runs: list[Run] = []
    slow: set[str] = set()
    for _ in range(arguments.rounds):
        for instance in instances:
            for one in contenders:
                if one.name in slow:
                    continue
                run = measure(one, instance, Limits(2.0))
                runs.append(run)
                if run.cpu_seconds is None or run.cpu_seconds > SLOW:
                    slow.add(one.name)
    comparisons = compare_same_rule(runs, arguments.buffers)
    print("\n".join(same_rule_rows(comparisons)))
    if comparisons:
        speedups = [one.speedup for one in comparisons]
        print(f"\n{len(speedups)} in all: median {median(speedups):.0f}, least {min(speedups):.1f}")


if __name__ == "__main__":
    main()
