"""Traffic against capacity, from M_R to M_P: how long a whole curve takes, and how much is proved.

    python benchmarks/schedule_curves.py [--corpus DIR] [--points 20] [NETWORK ...]

Both settings of the paper: activations only (A), and with parameters (P). CPU seconds of one run
from Python; the graphs of tests/data/graphs are used unless a directory is given.
"""

import argparse
import time
from pathlib import Path

from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.scheduling.pareto import pareto_curve

GRAPHS = Path(__file__).parent.parent / "tests" / "data" / "graphs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--corpus", type=Path, default=GRAPHS, help="folder of graphs")
    parser.add_argument("--points", type=int, default=20)
    arguments = parser.parse_args()
    names = arguments.networks or sorted(path.stem for path in arguments.corpus.glob("*.json"))
    print("| network | A: points proved | seconds | P: points proved | seconds |")
    print("|---|-:|-:|-:|-:|")
    for name in names:
        with (arguments.corpus / f"{name}.json").open(encoding="utf-8") as stream:
            whole = read_graph(stream, name)
        cells: list[str] = []
        for graph in (whole.without_parameters(), whole):
            start = time.process_time()
            curve = pareto_curve(graph, arguments.points)
            seconds = time.process_time() - start
            for capacity, schedule in curve:
                check_schedule(graph, schedule, capacity)
            proved = sum(schedule.optimal for _, schedule in curve)
            cells += [f"{proved} of {len(curve)}", f"{seconds:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
