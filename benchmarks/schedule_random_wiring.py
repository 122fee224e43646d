"""Randomly wired networks (Watts-Strogatz, Xie et al., arXiv 1904.01569): bound and gap.

    python benchmarks/schedule_random_wiring.py [--nodes 32] [--seeds 3] [--seconds 60]
        [--states N]

Three stages; each node adds its inputs and then works on the sum. Bytes halve from stage to stage.
With --states work is limited instead of time, so that a busy machine gives the same numbers.
"""

import argparse
import time

import networkx as nx

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.traffic import schedule_for_traffic


def random_wiring(nodes: int, seed: int, stages: int = 3) -> Graph:
    tensors = [Tensor("input", 64, "input")]
    operators: list[Operator] = []

    def add(name: str, inputs: list[int], size: int) -> int:
        tensors.append(Tensor(name, size))
        operators.append(Operator(name, tuple(inputs), (len(tensors) - 1,)))
        return len(tensors) - 1

    current = 0
    for stage in range(stages):
        wiring = nx.connected_watts_strogatz_graph(nodes, 4, 0.75, seed=10 * seed + stage)
        size = 64 >> stage
        made: dict[int, int] = {}
        for node in range(nodes):
            before = [made[other] for other in wiring[node] if other < node]
            made[node] = add(f"s{stage}n{node}", before or [current], size)
        ends = [made[node] for node in range(nodes) if all(other < node for other in wiring[node])]
        current = add(f"s{stage}out", ends, size)
    tensors[current] = Tensor(tensors[current].id, tensors[current].size, "output")
    return Graph(operators, tensors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--states", type=int, help="limit work instead of time")
    arguments = parser.parse_args()
    seconds_limit = None if arguments.states else arguments.seconds
    settings = SearchSettings(max_states=arguments.states, time_limit_seconds=seconds_limit)
    for seed in range(arguments.seeds):
        graph = random_wiring(arguments.nodes, seed)
        budgets = budgets_of(graph)
        for name, capacity in budgets.by_name().items():
            start = time.process_time()
            found = schedule_for_traffic(graph, capacity, settings)
            seconds = time.process_time() - start
            check_schedule(graph, found, capacity)
            gap = 100 * (found.traffic / found.bound - 1) if found.bound else 0.0
            print(
                f"seed {seed}, {len(graph.operators)} operators, {name} {capacity}:"
                f" {found.traffic}, bound {found.bound}, gap {gap:.1f} %, {found.stop},"
                f" {found.statistics['states']} states, {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
