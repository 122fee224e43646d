"""Random operator graphs: which bounds are reached by a schedule with addresses, and how soon.

    python benchmarks/schedule_random.py [--graphs 399] [--reach 12] [--first 0]

15 to 40 operators; capacities M_R, M_H and M_P. Operators read from the last REACH tensors. Where
the optimum of capacity alone cannot be packed, the search has to prove that and go on.
"""

import argparse
import time

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.generate import random_graph
from xdsl_memplan.scheduling.traffic import schedule_for_traffic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=399)
    parser.add_argument("--reach", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    arguments = parser.parse_args()
    cases = spilling = 0
    slow: list[tuple[float, int, str]] = []
    open_cases: list[tuple[int, str]] = []
    for seed in range(arguments.first, arguments.first + arguments.graphs):
        graph = random_graph(seed, 15 + seed % 26, reach=arguments.reach)
        budgets = budgets_of(graph).by_name()
        for name, capacity in {c: n for n, c in budgets.items()}.items():
            name, capacity = capacity, name
            start = time.process_time()
            found = schedule_for_traffic(graph, capacity)
            seconds = time.process_time() - start
            check_schedule(graph, found, capacity)
            cases += 1
            spilling += found.traffic > 0
            slow.append((seconds, seed, name))
            if not found.optimal:
                open_cases.append((seed, name))
                print(
                    f"open: seed {seed}, {len(graph.operators)} operators, {name} {capacity}:"
                    f" {found.traffic}, bound {found.bound}, {found.stop}, {seconds:.2f} s",
                    flush=True,
                )
    print(f"{cases} cases, {spilling} move something, {len(open_cases)} open")
    print("slowest, CPU seconds:", ", ".join(f"{s:.3f} ({x} {n})" for s, x, n in sorted(slow)[-5:]))


if __name__ == "__main__":
    main()
